import { decodeBase58, encodeBase58 } from "./base58.ts";
import { randomBigInt } from "./random.ts";

/** What the service puts in front of an id, by the kind of thing that it names. */
export type IdPrefix = "key" | "req" | "id" | "role" | "perm";

/** Seconds are counted from here, so that an id starts with a digit that changes. */
const EPOCH_SECONDS = 1_700_000_000;
const ID_LENGTH = 16;
/** Bits within a second. */
const CHANCE_BITS = 64n;

/**
 * Twelve bytes reach beyond sixteen base58 digits in the year 2052, and a seventeenth digit would
 * break the bytewise order. Later times count as the last second that still fits.
 */
const END = 58n ** BigInt(ID_LENGTH);
const LAST_SECOND = Number(END >> CHANCE_BITS) - 2;

/** Where a sequence stands. */
export interface SequenceState {
  /** How many ids were made. */
  readonly made: number;
  /** The greatest id, made or given; left out where there is none. */
  readonly last?: string | undefined;
}

/**
 * Makes the ids of one prefix: seconds, then random bytes, in base58. Ids of the live service are
 * random within a second; these are strictly increasing, so that keys are listed in the order in
 * which they were created, also when the clock stands still or goes back.
 */
export class IdSequence {
  readonly #prefix: IdPrefix;
  readonly #address: string;
  #made: number;
  /** The greatest id so far, as a number; less than any where there is none. */
  #last = -1n;

  /** `address` names the random bytes; two sequences never share one. It goes on from `state`. */
  constructor(prefix: IdPrefix, address: string, state: SequenceState = { made: 0 }) {
    this.#prefix = prefix;
    this.#address = `${address}/id/${prefix}/`;
    this.#made = state.made;
    if (state.last !== undefined) this.observe(state.last);
  }

  /** The next id, for something made at `time` (unix milliseconds). */
  next(time: number): string {
    const chance = randomBigInt(this.#address + this.#made, 8);
    this.#made += 1;
    const first = leastOf(secondsSinceEpoch(time));
    this.#last =
      first > this.#last
        ? // The upper half of the second is left free for those that follow in it.
          first | (chance >> 1n)
        : this.#last + (chance >> 24n) + 1n;
    if (this.#last >= END) {
      throw new RangeError(`no ${this.#prefix} ids are left after this one`);
    }
    return spell(this.#prefix, this.#last);
  }

  /** Takes note of an id that was given and not made here: those to come are greater. */
  observe(id: string): void {
    const digits = id.slice(this.#prefix.length + 1);
    if (!id.startsWith(`${this.#prefix}_`) || digits.length !== ID_LENGTH) return;
    const number = decodeBase58(digits);
    if (number === undefined || number >= leastOf(LAST_SECOND + 1)) return;
    if (number > this.#last) this.#last = number;
  }

  get state(): SequenceState {
    const last = this.#last < 0n ? {} : { last: spell(this.#prefix, this.#last) };
    return Object.freeze({ made: this.#made, ...last });
  }
}

/** Bits of the milliseconds within a second. */
const MILLISECOND_BITS = 10n;
/** Outside of the seconds that are counted, the milliseconds since 1970 make the order. */
const TIME_BITS = 42n;

/**
 * The id of something made at `time` (unix milliseconds) that depends on nothing made before:
 * ids of different milliseconds stand in the order of time, those of one at random.
 * @param address names the random bytes
 */
export function idAt(prefix: IdPrefix, time: number, address: string): string {
  const seconds = secondsSinceEpoch(time);
  const chance = randomBigInt(address, 8);
  const isOutside = seconds === 0 || seconds === LAST_SECOND;
  const [within, bits] = isOutside ? [time, TIME_BITS] : [time % 1000, MILLISECOND_BITS];
  const order = BigInt(within) << (CHANCE_BITS - bits);
  return spell(prefix, leastOf(seconds) | order | (chance >> bits));
}

function secondsSinceEpoch(time: number): number {
  return Math.min(Math.max(0, Math.floor(time / 1000) - EPOCH_SECONDS), LAST_SECOND);
}

/** The least number of a second. */
function leastOf(seconds: number): bigint {
  return BigInt(seconds) << CHANCE_BITS;
}

function spell(prefix: IdPrefix, number: bigint): string {
  return encodeBase58(number, ID_LENGTH, `${prefix}_`);
}
