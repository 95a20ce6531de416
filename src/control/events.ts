import { clearTimeout, setTimeout } from "../journal/real-timers.ts";
import { MAX_ENTRIES, type JournalEntry } from "../journal/recorded-request.ts";
import type { Journal } from "../journal/journal.ts";
import type { World } from "../world/world.ts";

/** Between two looks at what is new (ms): soon enough for a person, and no load beside the calls. */
const INTERVAL = 100;
/** After so many looks without backlog, a comment tells that somebody is still there: 15 s. */
const SILENT_LOOKS = 150;
/** More than so many requests wait for the next look, so that to follow costs a call little. */
const MAX_TOLD = 200;

/**
 * What happens in a world, as server-sent events, until `signal` ends it. First everything that the
 * journal holds, then what comes:
 *
 * - `request`: a request was recorded, or one that was delayed has ended; as the journal has it
 * - `forgotten`: the journal was emptied
 * - `change`: a record, a fault or the clock has changed, with a `revision` that grows; one comes at
 *   the beginning too
 *
 * Who reads slowly gets each request as it is by then, and never more of them than a journal holds.
 */
export async function* toEvents(world: World, signal: AbortSignal): AsyncGenerator<string> {
  const backlog = new Backlog(world);
  let lastRevision: number | undefined;
  let silent = 0;
  try {
    while (!signal.aborted) {
      const { revision } = world;
      const isChanged = revision !== lastRevision;
      if (isChanged) lastRevision = revision;
      const text =
        backlog.drain() + (isChanged ? toEvent("change", JSON.stringify({ revision })) : "");
      silent = text === "" ? silent + 1 : 0;
      if (text !== "") yield text;
      else if (silent % SILENT_LOOKS === 0) yield ": still there\n\n";
      await pause(signal);
    }
  } finally {
    backlog.stop();
  }
}

function toEvent(name: string, json: string): string {
  return `event: ${name}\ndata: ${json}\n\n`;
}

/** What a journal has come to hold since somebody looked. */
class Backlog {
  readonly #journal: Journal;
  readonly #entries: Set<JournalEntry>;
  #isForgotten = false;
  /** Ends it. */
  readonly stop: () => void;

  constructor({ journal }: World) {
    this.#journal = journal;
    this.#entries = new Set(journal.entries());
    this.stop = journal.listen((entry) => this.#hear(entry));
  }

  #hear(entry: JournalEntry | undefined): void {
    if (entry === undefined) {
      this.#entries.clear();
      this.#isForgotten = true;
      return;
    }
    this.#entries.delete(entry);
    this.#entries.add(entry);
    const [oldest] = this.#entries;
    if (this.#entries.size > MAX_ENTRIES && oldest !== undefined) this.#entries.delete(oldest);
  }

  /** As events; nothing is taken twice. */
  drain(): string {
    const events = this.#isForgotten ? [toEvent("forgotten", "{}")] : [];
    this.#isForgotten = false;
    for (const entry of this.#entries) {
      if (events.length >= MAX_TOLD) break;
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
    // Who follows in its own process is not kept by that; in a browser it is a number.
    timer.unref?.();
    signal.addEventListener("abort", end);
    if (signal.aborted) end();
  });
}
