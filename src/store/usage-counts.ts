import type { Outcome, OutcomeCounts } from "../contract/outcomes.ts";
import { DAY } from "../usage/refill.ts";
import type { Key } from "./key.ts";

/** The verifications of a key on one day. */
export interface CountedDay {
  readonly outcomes: OutcomeCounts;
  /** The key before the first of them. */
  readonly before: Pick<Key, "lastUsedAt" | "remaining">;
}

/** At most this many pairs of a key and a day are kept, the latest ones; about 20 MB. */
const MAX_PAIRS = 100_000;
/** When there are more, this many are dropped together. */
const DROPPED = 1_000;

type Keys = Map<string, CountedDay>;

/**
 * Counts the verifications of each key by day (UTC) and outcome. A call costs two look-ups, and makes
 * nothing new, unless it is the first of its key and day.
 */
export class UsageCounts {
  /** By day, as its number since 1970, in the order in which they were first counted; then by key id. */
  readonly #days = new Map<number, Keys>();
  #pairs = 0;

  count(key: Key, outcome: Outcome, now: number): void {
    const day = Math.floor(now / DAY);
    const { outcomes } = this.on(day, key.id) ?? this.#add(day, key);
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  }

  /** Undefined if the key was not verified on that day. */
  on(day: number, keyId: string): CountedDay | undefined {
    return this.#days.get(day)?.get(keyId);
  }

  /** The key before its first verification that is kept; undefined if there was none. */
  before(keyId: string): CountedDay["before"] | undefined {
    for (const keys of this.#days.values()) {
      const counted = keys.get(keyId);
      if (counted !== undefined) return counted.before;
    }
    return undefined;
  }

  /** Drops the counts of keys. */
  forget(keyIds: ReadonlySet<string>): void {
    for (const keys of this.#days.values()) {
      const held =
        keys.size < keyIds.size ? [...keys.keys()].filter((id) => keyIds.has(id)) : keyIds;
      for (const id of held) if (keys.delete(id)) this.#pairs -= 1;
    }
  }

  clear(): void {
    this.#days.clear();
    this.#pairs = 0;
  }

  #add(day: number, { id, lastUsedAt, remaining }: Key): CountedDay {
    if (this.#pairs === MAX_PAIRS) this.#dropOldest();
    this.#pairs += 1;
    const counted = { outcomes: {}, before: { lastUsedAt, remaining } };
    const keys = this.#days.get(day);
    if (keys === undefined) this.#days.set(day, new Map([[id, counted]]));
    else keys.set(id, counted);
    return counted;
  }

  /** Drops many at once, because a Map has to pass over each entry that was deleted at its start. */
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
