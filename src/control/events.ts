import { clearTimeout, setTimeout } from "../base/real-timers.ts";
import { MAX_ENTRIES, type JournalEntry } from "../world/journal/recorded-request.ts";
import type { Journal } from "../world/journal/journal.ts";
import type { World } from "../world/world.ts";

/** How often the stream looks for changes, in milliseconds. */
const INTERVAL = 100;
/** After this many intervals without events (15 s), a comment keeps the connection alive. */
const KEEP_ALIVE_INTERVALS = 150;
/** Further requests wait for the next interval, so that the stream does not slow down calls. */
const MAX_EVENTS_PER_INTERVAL = 200;

/**
 * Streams what happens in a world as server-sent events, until `signal` is aborted. The stream starts
 * with every request in the journal.
 *
 * - `request`: a request was recorded, or a delayed one has ended. The data is its journal entry.
 * - `forgotten`: the journal was emptied.
 * - `change`: a record, a fault, a finding or the clock has changed. The data has a `revision` that
 *   grows. The stream also begins with a `change`.
 *
 * A slow reader gets only the latest state of each request, and at most as many requests as the journal
 * keeps.
 */
export async function* toEvents(world: World, signal: AbortSignal): AsyncGenerator<string> {
  const backlog = new Backlog(world);
  let lastRevision: number | undefined;
  let silentIntervals = 0;
  try {
    while (!signal.aborted) {
      const { clock, faults, findings, store } = world;
      const revision = store.revision + faults.revision + clock.revision + findings.revision;
      const isChanged = revision !== lastRevision;
      if (isChanged) lastRevision = revision;
      const text =
        backlog.drain() + (isChanged ? toEvent("change", JSON.stringify({ revision })) : "");
      silentIntervals = text === "" ? silentIntervals + 1 : 0;
      if (text !== "") yield text;
      else if (silentIntervals % KEEP_ALIVE_INTERVALS === 0) yield ": still there\n\n";
      await pause(signal);
    }
  } finally {
    backlog.stop();
  }
}

function toEvent(name: string, json: string): string {
  return `event: ${name}\ndata: ${json}\n\n`;
}

/** The journal entries that were added or changed since the last `drain`. */
class Backlog {
  readonly #journal: Journal;
  readonly #entries: Set<JournalEntry>;
  #isForgotten = false;
  readonly stop: () => void;

  constructor({ journal }: World) {
    this.#journal = journal;
    this.#entries = new Set(journal.entries());
    this.stop = journal.listen((entry) => this.#update(entry));
  }

  /** @param entry the entry that was added or changed; undefined if the journal was emptied */
  #update(entry: JournalEntry | undefined): void {
    if (entry === undefined) {
      this.#entries.clear();
      this.#isForgotten = true;
      return;
    }
    // Deleted first, so that the entry moves to the end.
    this.#entries.delete(entry);
    this.#entries.add(entry);
    const [oldest] = this.#entries;
    if (this.#entries.size > MAX_ENTRIES && oldest !== undefined) this.#entries.delete(oldest);
  }

  drain(): string {
    const events = this.#isForgotten ? [toEvent("forgotten", "{}")] : [];
    this.#isForgotten = false;
    for (const entry of this.#entries) {
      if (events.length >= MAX_EVENTS_PER_INTERVAL) break;
      events.push(toEvent("request", this.#journal.textOf(entry)));
      this.#entries.delete(entry);
    }
    return events.join("");
  }
}

function pause(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, INTERVAL);
    // The timer must not keep a Node process alive. In a browser, a timer is a number without `unref`.
    timer.unref?.();
    signal.addEventListener("abort", end);
    if (signal.aborted) end();
  });
}
