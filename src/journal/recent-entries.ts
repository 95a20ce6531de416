import { MAX_ENTRIES, type JournalEntry, type EntryEnd } from "./recorded-request.ts";
import { RecordedContent } from "./recorded-content.ts";

/** The memory for the contents of all entries, in bytes. The oldest contents are removed first. */
const MAX_BYTES = 1_048_576;

/** The last 1,000 entries, with the contents (input and answer) of as many as fit into 1 MiB. */
export class RecentEntries {
  readonly #entries: JournalEntry[] = [];
  /** How many of the oldest entries have lost their contents. */
  #emptied = 0;
  /** The size of all contents, in bytes. */
  #size = 0;
  /** Shown in place of contents that were removed. */
  readonly #removed = RecordedContent.ofSummary("(removed: the journal keeps 1 MiB of bodies)");

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

  /** Completes an entry with the end of its request. Returns whether the entry is in this list. */
  finish(entry: JournalEntry, end: EntryEnd): boolean {
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

  /** Removes the contents of an entry, except for those of size 0. */
  #empty(entry: JournalEntry): void {
    this.#size -= sizeOf(entry);
    if (entry.input.size > 0) entry.input = this.#removed;
    if (entry.answer !== undefined && entry.answer.size > 0) entry.answer = this.#removed;
    entry.text = undefined;
  }
}

function sizeOf(entry: JournalEntry | undefined): number {
  return (entry?.input.size ?? 0) + (entry?.answer?.size ?? 0);
}
