import { NO_QUIRKS } from "../api/quirks.ts";
import type { VersionName } from "../api/version.ts";
import type { Clock } from "./time/clock.ts";
import type { Identified } from "./vocabulary.ts";
import { decodeBase58, encodeBase58, randomBigInt, randomWords } from "../base/random.ts";

/** Random bytes of a key value, if neither the request nor the API gives a number. */
export const DEFAULT_KEY_BYTES = 16;

export interface IdState {
  readonly seed: number;
  readonly keyValues: number;
  readonly sequences: { readonly [Prefix in IdPrefix]?: SequenceState | undefined };
}

/** Generates the ids and key values of one workspace. Each kind has a separate random stream. */
export class IdMaker {
  readonly #path: string;
  readonly #sequences = new Map<IdPrefix, IdSequence>();
  seed: number;
  #keyValues = 0;
  readonly #isRandom: boolean;

  /**
   * Two instances with the same seed and path generate the same ids.
   * @param quirks `random-ids` makes ids that do not sort by time
   */
  constructor(seed: number, path: string, quirks = NO_QUIRKS) {
    this.seed = seed;
    this.#path = path;
    this.#isRandom = quirks.has("random-ids");
  }

  /**
   * The next id, for a record created at `time` (unix milliseconds). It is greater than all earlier ids,
   * except with the quirk `random-ids`.
   */
  next(prefix: IdPrefix, time: number): string {
    const sequence = this.#sequenceOf(prefix);
    return this.#isRandom ? sequence.nextRandom() : sequence.next(time);
  }

  /** Records an id that a fixture or a test gave, so that later ids are greater. */
  observe(prefix: IdPrefix, id: string): void {
    this.#sequenceOf(prefix).observe(id);
  }

  keyValue(prefix: string, byteLength: number, version: VersionName): string {
    const address = `${this.address}/value/${this.#keyValues}`;
    this.#keyValues += 1;
    return makeKeyValue(address, prefix, byteLength, version);
  }

  /** Selects the random bytes of everything that is derived for the workspace. */
  get address(): string {
    return this.seed + this.#path;
  }

  get state(): IdState {
    const states = Array.from(this.#sequences, ([prefix, { state }]) => [prefix, state] as const);
    return {
      seed: this.seed,
      keyValues: this.#keyValues,
      sequences: Object.fromEntries(states.toSorted(([a], [b]) => (a < b ? -1 : 1))),
    };
  }

  resume({ seed, keyValues, sequences }: IdState): void {
    this.seed = seed;
    this.#keyValues = keyValues;
    this.#sequences.clear();
    for (const prefix of Object.keys(sequences) as IdPrefix[]) {
      this.#sequenceOf(prefix, sequences[prefix]);
    }
  }

  /** @param state where a new sequence begins. Default: at its first id */
  #sequenceOf(prefix: IdPrefix, state?: SequenceState): IdSequence {
    const known = this.#sequences.get(prefix);
    if (known !== undefined) return known;
    const sequence = new IdSequence(prefix, this.address, state);
    this.#sequences.set(prefix, sequence);
    return sequence;
  }
}

/** A seed that is derived from others. It has 53 bits, so that a long chain of seeds repeats none. */
export function nextSeed(...seeds: readonly number[]): number {
  return Number(randomBigInt(`${seeds.join("/")}/fresh`, 8) >> 11n);
}

/**
 * The state `start` with another seed. Ids continue after the greatest one of `before`, because a clock that
 * was reset repeats the same seconds.
 */
export function withSeed(start: IdState, seed: number, before?: IdState): IdState {
  const sequences: { [Prefix in IdPrefix]?: SequenceState } = {};
  for (const prefix of Object.keys({ ...start.sequences, ...before?.sequences }) as IdPrefix[]) {
    const { made = 0, last = "" } = start.sequences[prefix] ?? {};
    const { last: lastBefore = "" } = before?.sequences[prefix] ?? {};
    // Ids of one prefix have the same length, so they sort like their numbers.
    const greatest = lastBefore > last ? lastBefore : last;
    sequences[prefix] = greatest === "" ? { made } : { made, last: greatest };
  }
  return { ...start, seed, sequences };
}

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
// Minus two: the last second is incomplete, because it contains `END`. The second before it is needed for ids
// after the greatest one that `observe` accepts.
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
    const seconds = Math.max(0, Math.floor(time / 1000) - EPOCH_SECONDS);
    const first = BigInt(Math.min(seconds, LAST_SECOND)) << RANDOM_BITS;
    // In the lower half of the second, so that further ids fit into it.
    if (first > this.#last) this.#last = first | (random >> 1n);
    // A random step of at most 2^40: at least 2^23 ids fit after the first of a second.
    else this.#last += (random >> 24n) + 1n;
    if (this.#last >= END) {
      throw new RangeError(`no ${this.#prefix} ids are left after this one`);
    }
    return encodeBase58(this.#last, ID_LENGTH, `${this.#prefix}_`);
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
    if (this.#last < 0n) return Object.freeze({ made: this.#made });
    const last = encodeBase58(this.#last, ID_LENGTH, `${this.#prefix}_`);
    return Object.freeze({ made: this.#made, last });
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
  const id = (number << (RANDOM_BITS - MILLISECOND_BITS)) | random;
  return encodeBase58(id, ID_LENGTH, `${prefix}_`);
}

/** Generates the ids of records that are created without one. */
export interface IdSource {
  readonly ids: IdMaker;
  readonly clock: Clock;
}

/** Adds a generated id, or reports the given one to the id sequence. */
export function identify<Init extends { readonly id?: string | undefined }>(
  prefix: IdPrefix,
  init: Init,
  { clock, ids }: IdSource,
): Identified<Init> {
  if (init.id !== undefined) ids.observe(prefix, init.id);
  return { ...init, id: init.id ?? ids.next(prefix, clock.now()) };
}

/** How many characters `start` shows after the prefix, with the underscore. */
const START_LENGTH = 5;
/** The version of v1's format, which is the first byte of every value. */
const VERSION = 1;

/**
 * A key value in the format of the service: `[prefix + "_"] + base58(bytes)`. An empty prefix adds
 * no underscore. The bytes are `[1, byteLength, ...random]` in v1, and only random ones in v2.
 * @param address selects the random bytes
 */
export function makeKeyValue(
  address: string,
  prefix: string,
  byteLength: number,
  version: VersionName,
): string {
  const start = prefix === "" ? "" : `${prefix}_`;
  if (version !== "v1") {
    // The first byte is not zero, because base58 would write it as an additional digit.
    const first = 1n << BigInt(8 * byteLength - 1);
    return encodeBase58(randomBigInt(address, byteLength) | first, 1, start);
  }
  const head = BigInt(VERSION * 256 + byteLength) << BigInt(8 * byteLength);
  return encodeBase58(head | randomBigInt(address, byteLength), 1, start);
}

/** V8 copies slices up to this length. A longer slice refers to the whole original string. */
const MAX_COPIED_SLICE = 12;

/** The first characters of a key value, for lists. Without a prefix, v2 shows one character less. */
export function startOf(value: string, prefix: string, version: VersionName): string {
  const length = version !== "v1" && prefix === "" ? START_LENGTH - 1 : START_LENGTH;
  const start = value.slice(0, prefix.length + length);
  // Joined, to copy the characters. A slice would keep the whole secret value in memory.
  return start.length <= MAX_COPIED_SLICE ? start : [...start].join("");
}

/**
 * The prefix of a key: the given one, else the default of the API, unless a given value begins
 * differently. `start` shows the whole prefix.
 */
export function prefixOf(
  init: { readonly prefix?: string | undefined; readonly key?: string | undefined },
  api: { readonly defaultPrefix: string | undefined },
): string {
  if (init.prefix !== undefined) return init.prefix;
  const prefix = api.defaultPrefix ?? "";
  return init.key === undefined || init.key.startsWith(`${prefix}_`) ? prefix : "";
}
