import { decodeBase58, encodeBase58 } from "./base58.ts";
import { randomBigInt, randomWords } from "./random.ts";

/** The service's prefixes of ids, one for each kind of record. */
export type IdPrefix = "key" | "req" | "id" | "role" | "perm" | "api" | "rlns" | "rlor";

/** Seconds are counted from this time, so that even the first digits of ids vary. */
const EPOCH_SECONDS = 1_700_000_000;
const ID_LENGTH = 16;
const RANDOM_BITS = 64n;

/**
 * From the year 2052 on, the twelve bytes of an id need seventeen base58 digits, and ids of different
 * lengths would not sort by time. For later times, ids are made as in the last second that fits.
 */
const END = 58n ** BigInt(ID_LENGTH);
// Two less: the last second is incomplete, because it contains `END`, and the one before it is needed
// for ids after the greatest one that `observe` accepts.
const LAST_SECOND = Number(END >> RANDOM_BITS) - 2;
/** Given ids from this one on are ignored. */
const MAX_OBSERVED = BigInt(LAST_SECOND + 1) << RANDOM_BITS;

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const RANDOM_LENGTH = 9;

export interface SequenceState {
  readonly made: number;
  /** The greatest id, generated or given; undefined if there is none. */
  readonly last?: string | undefined;
}

/**
 * Generates the ids of one prefix: seconds, then random bytes, in base58. Ids of the live service are
 * random within a second. Here each id is greater than the one before, so that lists have keys in the
 * order of their creation, even if the clock is frozen or set back.
 */
export class IdSequence {
  readonly #prefix: IdPrefix;
  readonly #address: string;
  #made: number;
  /** The greatest id so far, as a number; -1 before the first. */
  #last = -1n;

  /**
   * @param address selects the random bytes; it is different for each sequence
   * @param state where to continue. Default: the beginning.
   */
  constructor(prefix: IdPrefix, address: string, state: SequenceState = { made: 0 }) {
    this.#prefix = prefix;
    this.#address = `${address}/id/${prefix}/`;
    this.#made = state.made;
    if (state.last !== undefined) this.observe(state.last);
  }

  /**
   * The next id, for a record created at `time` (unix milliseconds).
   * @throws RangeError if no greater id exists
   */
  next(time: number): string {
    const random = randomBigInt(this.#address + this.#made, 8);
    this.#made += 1;
    const first = BigInt(secondsSinceEpoch(time)) << RANDOM_BITS;
    this.#last =
      first > this.#last
        ? // The lower half of the second, so that further ids fit into it.
          first | (random >> 1n)
        : // A random step of at most 2^40: at least 2^23 ids fit after the first of a second.
          this.#last + (random >> 24n) + 1n;
    if (this.#last >= END) {
      throw new RangeError(`no ${this.#prefix} ids are left after this one`);
    }
    return encodeId(this.#prefix, this.#last);
  }

  /** For the quirk `random-ids`: the next id in the form of v2, which does not sort by time. */
  nextRandom(): string {
    const id = randomId(this.#prefix, this.#address + this.#made);
    this.#made += 1;
    return id;
  }

  /** Records a given id, so that later ids are greater. */
  observe(id: string): void {
    const digits = id.slice(this.#prefix.length + 1);
    if (!id.startsWith(`${this.#prefix}_`) || digits.length !== ID_LENGTH) return;
    const number = decodeBase58(digits);
    if (number === undefined || number >= MAX_OBSERVED) return;
    if (number > this.#last) this.#last = number;
  }

  get state(): SequenceState {
    const last = this.#last < 0n ? {} : { last: encodeId(this.#prefix, this.#last) };
    return Object.freeze({ made: this.#made, ...last });
  }
}

/**
 * An id in the form of v2: random letters and digits after the prefix.
 * @param address selects the random bytes
 */
export function randomId(prefix: string, address: string): string {
  const next = randomWords(address);
  const letters = Array.from({ length: RANDOM_LENGTH }, () => LETTERS[next() % LETTERS.length]);
  return `${prefix}_${letters.join("")}`;
}

const MILLISECOND_BITS = 10n;

/**
 * An id that does not depend on earlier ids. Ids of different milliseconds sort by time. Ids of the same
 * millisecond sort at random.
 * @param time milliseconds since the time from which the seconds of ids are counted
 * @param address selects the random bytes
 */
export function idAfter(prefix: IdPrefix, time: number, address: string): string {
  const seconds = BigInt(Math.floor(time / 1000));
  const number = (seconds << MILLISECOND_BITS) | BigInt(time % 1000);
  const random = randomBigInt(address, 8) >> MILLISECOND_BITS;
  return encodeId(prefix, (number << (RANDOM_BITS - MILLISECOND_BITS)) | random);
}

function secondsSinceEpoch(time: number): number {
  return Math.min(Math.max(0, Math.floor(time / 1000) - EPOCH_SECONDS), LAST_SECOND);
}

function encodeId(prefix: string, number: bigint): string {
  return encodeBase58(number, ID_LENGTH, `${prefix}_`);
}
