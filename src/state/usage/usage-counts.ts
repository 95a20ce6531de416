import type { Outcome, OutcomeCounts } from "../../api/outcomes.ts";
import { DAY } from "../time/refill.ts";

/** At most this many pairs of a key and a day are kept, the latest ones; about 20 MB. */
const MAX_PAIRS = 100_000;
/** When there are more, this many are dropped together. */
const DROPPED = 1_000;

type Keys = Map<string, OutcomeCounts>;

/**
 * Counts the verifications of each key by day (UTC) and outcome. A call costs two look-ups, and allocates
 * nothing unless it is the first one of its key and day.
 */
export class UsageCounts {
  /** By the number of the day since 1970, in the order of the first count; then by key id. */
  readonly #days = new Map<number, Keys>();
  #pairs = 0;

  count(keyId: string, outcome: Outcome, now: number): void {
    const day = Math.floor(now / DAY);
    const counts = this.#days.get(day)?.get(keyId) ?? this.#add(day, keyId);
    counts[outcome] = (counts[outcome] ?? 0) + 1;
  }

  on(day: number, keyId: string): OutcomeCounts | undefined {
    return this.#days.get(day)?.get(keyId);
  }

  forget(keyIds: ReadonlySet<string>): void {
    for (const keys of this.#days.values()) {
      const held =
        keys.size < keyIds.size ? [...keys.keys()].filter((id) => keyIds.has(id)) : keyIds;
      for (const id of held) if (keys.delete(id)) this.#pairs -= 1;
    }
  }

  /** Forgets the keys that a restored state does not have, because later keys may get their ids. */
  forgetUnless(isKey: (id: string) => boolean): void {
    for (const keys of this.#days.values()) {
      for (const id of keys.keys()) if (!isKey(id) && keys.delete(id)) this.#pairs -= 1;
    }
  }

  clear(): void {
    this.#days.clear();
    this.#pairs = 0;
  }

  #add(day: number, keyId: string): OutcomeCounts {
    if (this.#pairs === MAX_PAIRS) this.#dropOldest();
    this.#pairs += 1;
    const counts: OutcomeCounts = {};
    const keys = this.#days.get(day);
    if (keys === undefined) this.#days.set(day, new Map([[keyId, counts]]));
    else keys.set(keyId, counts);
    return counts;
  }

  /** Drops many at once, because a Map has to skip each entry that was deleted at its start. */
  #dropOldest(): void {
    let left = DROPPED;
    for (const [day, keys] of this.#days) {
      for (const id of keys.keys()) {
        if (left === 0) return;
        keys.delete(id);
        left -= 1;
        this.#pairs -= 1;
      }
      this.#days.delete(day);
    }
  }
}
