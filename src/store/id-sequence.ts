import { decodeBase58, encodeBase58 } from "./base58.ts";
import { randomBytes, toBigInt } from "./random.ts";

/** What the service puts in front of an id, by the kind of thing that it names. */
export type IdPrefix = "key" | "req" | "id" | "role" | "perm";

/** Seconds are counted from here, so that an id starts with a digit that changes. */
const EPOCH_SECONDS = 1_700_000_000;
const ID_LENGTH = 16;
/**
 * Twelve bytes reach beyond sixteen base58 digits in the year 2052, and a seventeenth digit would
 * break the bytewise order. Later times count as the last second that still fits.
 */
const END = 58n ** BigInt(ID_LENGTH);
const LAST_SECOND = (END >> 64n) - 2n;

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
  #made = 0;
  #last = -1n;

  /** `address` names the stream of random bytes; two sequences never share one. */
  constructor(prefix: IdPrefix, address: string) {
    this.#prefix = prefix;
    this.#address = `${address}/id/${prefix}`;
  }

  /** The next id, for something made at `time` (unix milliseconds). */
  next(time: number): string {
    const random = toBigInt(randomBytes(`${this.#address}/${this.#made}`, 8));
    this.#made += 1;
    const seconds = secondsSinceEpoch(time);
    this.#last =
      seconds > this.#last >> 64n
        ? // The upper half of the second is left free for those that follow in it.
          (seconds << 64n) | (random >> 1n)
        : this.#last + 1n + (random >> 24n);
    if (this.#last >= END) throw new RangeError(`no ${this.#prefix} ids are left after this one`);
    return this.#spell(this.#last);
  }

  /** Takes note of an id that was given and not made here: those to come are greater. */
  observe(id: string): void {
    const digits = id.slice(this.#prefix.length + 1);
    if (!id.startsWith(`${this.#prefix}_`) || digits.length !== ID_LENGTH) return;
    const number = decodeBase58(digits);
    if (number === undefined || number >> 64n > LAST_SECOND) return;
    if (number > this.#last) this.#last = number;
  }

  get state(): SequenceState {
    const last = this.#last < 0n ? {} : { last: this.#spell(this.#last) };
    return Object.freeze({ made: this.#made, ...last });
  }

  /** Goes on from there. */
  resume({ made, last }: SequenceState): void {
    this.#made = made;
    this.#last = -1n;
    if (last !== undefined) this.observe(last);
  }

  #spell(number: bigint): string {
    return `${this.#prefix}_${encodeBase58(number, ID_LENGTH)}`;
  }
}

/** What is left for chance beside the milliseconds within a second. */
const CHANCE_BITS = 54n;
/** Outside of the seconds that are counted, the milliseconds since 1970 make the order. */
const OUTSIDE_CHANCE_BITS = 22n;

/**
 * The id of something made at `time` (unix milliseconds) that depends on nothing made before:
 * ids of different milliseconds stand in the order of time, those of one at random.
 * @param address names the random bytes
 */
export function idAt(prefix: IdPrefix, time: number, address: string): string {
  const seconds = secondsSinceEpoch(time);
  const chance = toBigInt(randomBytes(address, 8));
  const isOutside = seconds === 0n || seconds === LAST_SECOND;
  const within = isOutside
    ? (BigInt(time) << OUTSIDE_CHANCE_BITS) | (chance >> (64n - OUTSIDE_CHANCE_BITS))
    : (BigInt(time % 1000) << CHANCE_BITS) | (chance >> (64n - CHANCE_BITS));
  return `${prefix}_${encodeBase58((seconds << 64n) | within, ID_LENGTH)}`;
}

function secondsSinceEpoch(time: number): bigint {
  const seconds = BigInt(Math.max(0, Math.floor(time / 1000) - EPOCH_SECONDS));
  return seconds > LAST_SECOND ? LAST_SECOND : seconds;
}
