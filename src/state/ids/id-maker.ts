import { NO_QUIRKS } from "../../api/quirks.ts";
import type { VersionName } from "../../api/version.ts";
import { IdSequence, type IdPrefix, type SequenceState } from "./id-sequence.ts";
import { makeKeyValue } from "./key-value.ts";
import { randomBigInt } from "./random.ts";

export interface IdState {
  readonly seed: number;
  readonly keyValues: number;
  readonly sequences: { readonly [Prefix in IdPrefix]?: SequenceState | undefined };
}

/** Generates the ids and key values of one workspace. Each kind has a separate random stream. */
export class IdMaker {
  readonly #path: string;
  readonly #sequences = new Map<IdPrefix, IdSequence>();
  #seed: number;
  #keyValues = 0;
  readonly #isRandom: boolean;

  /**
   * Two instances with the same seed and path generate the same ids.
   * @param quirks `random-ids` makes ids that do not sort by time
   */
  constructor(seed: number, path: string, quirks = NO_QUIRKS) {
    this.#seed = seed;
    this.#path = path;
    this.#isRandom = quirks.has("random-ids");
  }

  /**
   * The next id, for a record created at `time` (unix milliseconds). It is greater than all earlier ids,
   * except with the quirk `random-ids`.
   */
  next(prefix: IdPrefix, time: number): string {
    const sequence = this.#sequences.get(prefix) ?? this.#begin(prefix);
    return this.#isRandom ? sequence.nextRandom() : sequence.next(time);
  }

  /** Records an id that a fixture or a test gave, so that later ids are greater. */
  observe(prefix: IdPrefix, id: string): void {
    (this.#sequences.get(prefix) ?? this.#begin(prefix)).observe(id);
  }

  keyValue(prefix: string, byteLength: number, version: VersionName): string {
    const address = `${this.#address}/value/${this.#keyValues}`;
    this.#keyValues += 1;
    return makeKeyValue(address, prefix, byteLength, version);
  }

  get seed(): number {
    return this.#seed;
  }

  get state(): IdState {
    const states = Array.from(this.#sequences, ([prefix, { state }]) => [prefix, state] as const);
    return {
      seed: this.#seed,
      keyValues: this.#keyValues,
      sequences: Object.fromEntries(states.toSorted(([a], [b]) => (a < b ? -1 : 1))),
    };
  }

  resume({ seed, keyValues, sequences }: IdState): void {
    this.#seed = seed;
    this.#keyValues = keyValues;
    this.#sequences.clear();
    for (const prefix of Object.keys(sequences) as IdPrefix[]) {
      const state = sequences[prefix];
      if (state === undefined) continue;
      this.#sequences.set(prefix, new IdSequence(prefix, this.#address, state));
    }
  }

  get #address(): string {
    return this.#seed + this.#path;
  }

  #begin(prefix: IdPrefix): IdSequence {
    const sequence = new IdSequence(prefix, this.#address);
    this.#sequences.set(prefix, sequence);
    return sequence;
  }
}

/** A seed that is derived from others. It has 53 bits, so that a long chain of seeds repeats none. */
export function nextSeed(...seeds: readonly number[]): number {
  return Number(randomBigInt(`${seeds.join("/")}/fresh`, 8) >> 11n);
}

/**
 * The state `start` with another seed. Ids continue after the greatest of `before`, because a clock
 * that was reset repeats the same seconds.
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
