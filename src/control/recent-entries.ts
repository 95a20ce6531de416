import { MAX_ENTRIES, type JournalEntry, type RecordedInput } from "./recorded-request.ts";

/** Inputs take no more than this (bytes) in all; the oldest go first. */
const MAX_INPUT_BYTES = 1_048_576;

const NOT_KEPT: RecordedInput = {
  size: 0,
  read: () => "(not kept: there is too much of it)",
  contains: () => false,
};

/** The last 1,000 entries, with the inputs of as many of them as memory is spent on. */
export class RecentEntries {
  /** A ring: the next entry takes the place of the oldest. */
  readonly #ring: JournalEntry[] = [];
  /** How many entries there have been. */
  #count = 0;
  /** Of those, how many come before the first that still has its input. */
  #without = 0;
  /** Of all inputs, in bytes. */
  #size = 0;

  /** The oldest first. */
  list(): JournalEntry[] {
    const start = this.#count % MAX_ENTRIES;
    return [...this.#ring.slice(start), ...this.#ring.slice(0, start)];
  }

  add(entry: JournalEntry): void {
    const place = this.#count % MAX_ENTRIES;
    this.#size += entry.input.size - (this.#ring[place]?.input.size ?? 0);
    this.#ring[place] = entry;
    this.#count += 1;
    while (this.#size > MAX_INPUT_BYTES) this.#dropInput();
  }

  has(entry: JournalEntry): boolean {
    return this.#ring.includes(entry);
  }

  /** Lets the oldest input go; one that takes no memory may stay. */
  #dropInput(): void {
    this.#without = Math.max(this.#without, this.#count - MAX_ENTRIES);
    const entry = this.#ring[this.#without % MAX_ENTRIES];
    this.#without += 1;
    if (entry === undefined || entry.input.size === 0) return;
    this.#size -= entry.input.size;
    entry.input = NOT_KEPT;
  }
}
