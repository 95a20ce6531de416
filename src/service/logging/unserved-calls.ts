import { pluralize } from "../../base/wording/pluralize.ts";
import { shorten } from "../../base/wording/shorten.ts";
import { isUnserved, MAX_PATHS, type LogEntry } from "./log.ts";

const MAX_SHOWN = 20;
const SHOWN_CHARACTERS = 100;

/**
 * Counts the calls that no operation answers, by method and path. Without it, users may not notice them:
 * some programs continue after a 404, and a warning among many lines is overlooked.
 */
export class UnservedCalls {
  readonly #counts = new Map<string, number>();
  #total = 0;

  count(entry: LogEntry): void {
    if (entry.kind !== "request" || !isUnserved(entry)) return;
    this.#total += 1;
    const call = `${entry.method} ${shorten(entry.path, SHOWN_CHARACTERS)}`;
    const before = this.#counts.get(call) ?? 0;
    if (before > 0 || this.#counts.size < MAX_PATHS) this.#counts.set(call, before + 1);
  }

  /** How many such calls there were, with their methods and paths; undefined if there were none. */
  summary(): { readonly head: string; readonly calls: readonly string[] } | undefined {
    if (this.#total === 0) return undefined;
    const sorted = [...this.#counts].toSorted(([, one], [, other]) => other - one);
    const calls = sorted
      .slice(0, MAX_SHOWN)
      .map(([call, count]) => `${call} (${count === 1 ? "once" : `${count} times`})`);
    const more = sorted.length - calls.length;
    const orMore = sorted.length < MAX_PATHS ? "" : " or more";
    if (more > 0) calls.push(`and ${more}${orMore} others`);
    const were = this.#total === 1 ? "was" : "were";
    const head = `${pluralize(this.#total, "call")} ${were} answered 404, because latchkey serves no operation there:`;
    return { head, calls };
  }
}
