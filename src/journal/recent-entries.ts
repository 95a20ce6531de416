import { RecordedContent } from "./recorded-content.ts";
import { MAX_ENTRIES, type JournalEntry, type RequestEnd } from "./recorded-request.ts";

/** What was sent and told takes no more than this (bytes) in all; the oldest goes first. */
const MAX_BYTES = 1_048_576;

/** The last 1,000 entries, with what was sent and told of as many as memory is spent on. */
export class RecentEntries {
  /** The oldest first. */
  readonly #entries: JournalEntry[] = [];
  /** How many of the oldest do not hold any more what was sent and told. */
  #emptied = 0;
  /** Of all that was sent and told, in bytes. */
  #size = 0;
  /** What stands in the place of what was let go. */
  readonly #notKept = RecordedContent.ofSummary("(not kept: there is too much of it)");

  /** The oldest first. */
  list(): readonly JournalEntry[] {
    return this.#entries;
  }

  add(entry: JournalEntry): void {
    this.#entries.push(entry);
    this.#size += sizeOf(entry);
    if (this.#entries.length > MAX_ENTRIES) {
      this.#size -= sizeOf(this.#entries.shift());
      this.#emptied = Math.max(0, this.#emptied - 1);
    }
    this.#makeRoom();
  }

  /** Has an entry say how its request ended. Returns whether it is one of these. */
  finish(entry: JournalEntry, end: RequestEnd): boolean {
    const before = sizeOf(entry);
    Object.assign(entry, end, { text: undefined });
    const index = this.#entries.indexOf(entry);
    if (index === -1) return false;
    this.#size += sizeOf(entry) - before;
    if (index < this.#emptied) this.#empty(entry);
    this.#makeRoom();
    return true;
  }

  #makeRoom(): void {
    while (this.#size > MAX_BYTES) {
      const entry = this.#entries[this.#emptied];
      if (entry === undefined) return;
      this.#empty(entry);
      this.#emptied += 1;
    }
  }

  /** Lets go what an entry holds; what takes no memory may stay. */
  #empty(entry: JournalEntry): void {
    this.#size -= sizeOf(entry);
    if (entry.input.size > 0) entry.input = this.#notKept;
    if (entry.answer !== undefined && entry.answer.size > 0) entry.answer = this.#notKept;
    entry.text = undefined;
  }
}

function sizeOf(entry: JournalEntry | undefined): number {
  return (entry?.input.size ?? 0) + (entry?.answer?.size ?? 0);
}
