import type { JournalEntry } from "./recorded-request.ts";

/** The members by which calls are counted. They have few combinations, so counts need little memory. */
type Outcome = Pick<JournalEntry, "operation" | "status" | "version">;

/** How many calls there were, by version, operation and status. */
export class CallCounts {
  readonly #counts = new Map<string, { readonly outcome: Outcome; count: number }>();

  /** @param by 1 for another call, -1 for one whose outcome has changed */
  add({ operation, status, version }: Outcome, by: 1 | -1 = 1): void {
    const key = `${version} ${operation} ${status}`;
    const known = this.#counts.get(key);
    if (known === undefined) {
      this.#counts.set(key, { outcome: { operation, status, version }, count: by });
    } else known.count += by;
  }

  /** How many calls match a filter, whatever its `match`. */
  of(filter: Partial<Outcome>): number {
    let sum = 0;
    for (const { count, outcome } of this.#counts.values()) {
      if (hasOutcome(outcome, filter)) sum += count;
    }
    return sum;
  }
}

export function hasOutcome(
  outcome: Outcome,
  { operation, status, version }: Partial<Outcome>,
): boolean {
  if (version !== undefined && outcome.version !== version) return false;
  if (operation !== undefined && outcome.operation !== operation) return false;
  return status === undefined || outcome.status === status;
}
