import {
  MAX_ENTRIES,
  type JournalEntry,
  type RecordedInput,
  type RequestEnd,
} from "./recorded-request.ts";

/** What was sent and told takes no more than this (bytes) in all; the oldest goes first. */
const MAX_BYTES = 1_048_576;

const NOT_KEPT: RecordedInput = {
  size: 0,
  read: () => "(not kept: there is too much of it)",
  contains: () => false,
};

/** The last 1,000 entries, with what was sent and told of as many as memory is spent on. */
export class RecentEntries {
  /** A ring: the next entry takes the place of the oldest. */
  readonly #ring: JournalEntry[] = [];
  /** How many entries there have been. */
  #count = 0;
  /** Of those, how many come before the first that is still whole. */
  #without = 0;
  /** Of all that was sent and told, in bytes. */
  #size = 0;

  /** The oldest first. */
  list(): JournalEntry[] {
    const start = this.#count % MAX_ENTRIES;
    return [...this.#ring.slice(start), ...this.#ring.slice(0, start)];
  }

  add(entry: JournalEntry): void {
    const place = this.#count % MAX_ENTRIES;
    this.#size += sizeOf(entry) - sizeOf(this.#ring[place]);
    this.#ring[place] = entry;
    this.#count += 1;
    this.#makeRoom();
  }

  /** Has an entry say how its request ended. Returns whether it is one of these. */
  finish(entry: JournalEntry, end: RequestEnd): boolean {
    const number = this.#numberOf(entry);
    this.#size -= number === undefined ? 0 : sizeOf(entry);
    Object.assign(entry, end);
    entry.text = undefined;
    if (number === undefined) return false;
    // What would be let go next is behind it.
    if (number < this.#without && entry.answer !== undefined) entry.answer = NOT_KEPT;
    this.#size += sizeOf(entry);
    this.#makeRoom();
    return true;
  }

  /** How many entries came before it; undefined for one that is not here. */
  #numberOf(entry: JournalEntry): number | undefined {
    const place = this.#ring.indexOf(entry);
    if (place === -1) return undefined;
    const last = this.#count - 1;
    return last - ((last - place) % MAX_ENTRIES);
  }

  #makeRoom(): void {
    while (this.#size > MAX_BYTES) this.#shorten();
  }

  /** Lets go what the oldest entry holds; what takes no memory may stay. */
  #shorten(): void {
    this.#without = Math.max(this.#without, this.#count - MAX_ENTRIES);
    const entry = this.#ring[this.#without % MAX_ENTRIES];
    this.#without += 1;
    if (entry === undefined) return;
    this.#size -= sizeOf(entry);
    if (entry.input.size > 0) entry.input = NOT_KEPT;
    if (entry.answer !== undefined && entry.answer.size > 0) entry.answer = NOT_KEPT;
    entry.text = undefined;
  }
}

function sizeOf(entry: JournalEntry | undefined): number {
  return entry === undefined ? 0 : entry.input.size + (entry.answer?.size ?? 0);
}
