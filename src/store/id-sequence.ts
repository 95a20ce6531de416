import { decodeBase58, encodeBase58, spellLimbs } from "./base58.ts";
import { nextWord, randomBytes, RandomStreams, toBigInt } from "./random.ts";

/** What the service puts in front of an id, by the kind of thing that it names. */
export type IdPrefix = "key" | "req" | "id" | "role" | "perm";

/** Seconds are counted from here, so that an id starts with a digit that changes. */
const EPOCH_SECONDS = 1_700_000_000;
const ID_LENGTH = 16;
const WORD = 2 ** 32;
const MASK = 0xffff_ffffn;

/** Seconds, and 64 bits within one as two words: numbers of any size take four times as long. */
type Place = readonly [seconds: number, upper: number, lower: number];

/**
 * Twelve bytes reach beyond sixteen base58 digits in the year 2052, and a seventeenth digit would
 * break the bytewise order. Later times count as the last second that still fits.
 */
const END = toPlace(58n ** BigInt(ID_LENGTH));
const LAST_SECOND = END[0] - 2;

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
  readonly #streams: RandomStreams;
  #made = 0;
  /** The greatest id so far. */
  #last: Place | undefined;

  /** `address` names the stream of random bytes; two sequences never share one. */
  constructor(prefix: IdPrefix, address: string) {
    this.#prefix = prefix;
    this.#streams = new RandomStreams(`${address}/id/${prefix}/`);
  }

  /** The next id, for something made at `time` (unix milliseconds). */
  next(time: number): string {
    const random = this.#streams.at(String(this.#made));
    const upper = nextWord(random);
    const lower = nextWord(random);
    this.#made += 1;
    const seconds = secondsSinceEpoch(time);
    const last = this.#last;
    this.#last =
      last === undefined || seconds > last[0]
        ? // The upper half of the second is left free for those that follow in it.
          [seconds, upper >>> 1, ((upper << 31) | (lower >>> 1)) >>> 0]
        : plus(last, upper >>> 24, (((upper << 8) | (lower >>> 24)) >>> 0) + 1);
    if (!isBehind(END, this.#last)) {
      throw new RangeError(`no ${this.#prefix} ids are left after this one`);
    }
    return this.#spell(this.#last);
  }

  /** Takes note of an id that was given and not made here: those to come are greater. */
  observe(id: string): void {
    const digits = id.slice(this.#prefix.length + 1);
    if (!id.startsWith(`${this.#prefix}_`) || digits.length !== ID_LENGTH) return;
    const number = decodeBase58(digits);
    if (number === undefined) return;
    const place = toPlace(number);
    const isFree = this.#last === undefined || isBehind(place, this.#last);
    if (isFree && place[0] <= LAST_SECOND) this.#last = place;
  }

  get state(): SequenceState {
    const last = this.#last === undefined ? {} : { last: this.#spell(this.#last) };
    return Object.freeze({ made: this.#made, ...last });
  }

  /** Goes on from there. */
  resume({ made, last }: SequenceState): void {
    this.#made = made;
    this.#last = undefined;
    if (last !== undefined) this.observe(last);
  }

  #spell(place: Place): string {
    return spellLimbs(toLimbs(place), ID_LENGTH, `${this.#prefix}_`);
  }
}

function toPlace(number: bigint): Place {
  return [Number(number >> 64n), Number((number >> 32n) & MASK), Number(number & MASK)];
}

/** Limbs of 24 bits, the greatest first. */
function toLimbs([seconds, upper, lower]: Place): number[] {
  return [
    seconds >>> 8,
    ((seconds & 0xff) << 16) | (upper >>> 16),
    ((upper & 0xffff) << 8) | (lower >>> 24),
    lower & 0xff_ffff,
  ];
}

/** Whether the first is greater than the other. */
function isBehind([seconds, upper, lower]: Place, other: Place): boolean {
  if (seconds !== other[0]) return seconds > other[0];
  return upper === other[1] ? lower > other[2] : upper > other[1];
}

/** Adds 64 bits. */
function plus([seconds, upper, lower]: Place, moreUpper: number, moreLower: number): Place {
  const low = lower + moreLower;
  const high = upper + moreUpper + Math.floor(low / WORD);
  return [seconds + Math.floor(high / WORD), high % WORD, low % WORD];
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
  const isOutside = seconds === 0 || seconds === LAST_SECOND;
  const within = isOutside
    ? (BigInt(time) << OUTSIDE_CHANCE_BITS) | (chance >> (64n - OUTSIDE_CHANCE_BITS))
    : (BigInt(time % 1000) << CHANCE_BITS) | (chance >> (64n - CHANCE_BITS));
  return `${prefix}_${encodeBase58((BigInt(seconds) << 64n) | within, ID_LENGTH)}`;
}

function secondsSinceEpoch(time: number): number {
  return Math.min(Math.max(0, Math.floor(time / 1000) - EPOCH_SECONDS), LAST_SECOND);
}
