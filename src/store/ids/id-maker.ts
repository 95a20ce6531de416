import { IdSequence, type IdPrefix, type SequenceState } from "./id-sequence.ts";
import { makeKeyValue } from "./key-value.ts";

/** Where the ids and key values of a workspace stand. */
export interface IdState {
  /** What everything is made from. */
  readonly seed: number;
  /** Which stretch of the random bytes is read; left out for the first, which is 0. */
  readonly stretch?: number | undefined;
  /** How many key values were made. */
  readonly keyValues: number;
  readonly sequences: { readonly [Prefix in IdPrefix]?: SequenceState | undefined };
}

/** The ids and key values of one workspace, each kind from a random stream of its own. */
export class IdMaker {
  readonly #path: string;
  readonly #sequences = new Map<IdPrefix, IdSequence>();
  #seed: number;
  #stretch: number;
  #keyValues = 0;

  /** Two makers with the same seed, path and stretch make the same ids. */
  constructor(seed: number, path: string, stretch = 0) {
    this.#seed = seed;
    this.#path = path;
    this.#stretch = stretch;
  }

  /** The next id for something made at `time` (unix milliseconds); greater than all before. */
  next(prefix: IdPrefix, time: number): string {
    return this.#sequence(prefix).next(time);
  }

  /** Takes note of an id that a fixture or a test gave. */
  observe(prefix: IdPrefix, id: string): void {
    this.#sequence(prefix).observe(id);
  }

  keyValue(prefix: string, byteLength: number): string {
    const address = `${this.#address}/value/${this.#keyValues}`;
    this.#keyValues += 1;
    return makeKeyValue(address, prefix, byteLength);
  }

  get seed(): number {
    return this.#seed;
  }

  get stretch(): number {
    return this.#stretch;
  }

  get state(): IdState {
    const prefixes = [...this.#sequences.keys()].toSorted();
    return {
      seed: this.#seed,
      ...(this.#stretch === 0 ? {} : { stretch: this.#stretch }),
      keyValues: this.#keyValues,
      sequences: Object.fromEntries(
        prefixes.map((prefix) => [prefix, this.#sequence(prefix).state]),
      ),
    };
  }

  /** Goes on from there. */
  resume({ seed, stretch = 0, keyValues, sequences }: IdState): void {
    this.#seed = seed;
    this.#stretch = stretch;
    this.#keyValues = keyValues;
    this.#sequences.clear();
    for (const prefix of Object.keys(sequences) as IdPrefix[]) {
      const state = sequences[prefix];
      if (state === undefined) continue;
      this.#sequences.set(prefix, new IdSequence(prefix, this.#address, state));
    }
  }

  get #address(): string {
    return randomOrigin(this.#seed, this.#stretch) + this.#path;
  }

  #sequence(prefix: IdPrefix): IdSequence {
    let sequence = this.#sequences.get(prefix);
    if (sequence === undefined) {
      sequence = new IdSequence(prefix, this.#address);
      this.#sequences.set(prefix, sequence);
    }
    return sequence;
  }
}

/** What the addresses of all random bytes of a stretch begin with. */
export function randomOrigin(seed: number, stretch: number): string {
  return stretch === 0 ? String(seed) : `${seed}+${stretch}`;
}

/**
 * The start of another stretch: ids and key values that no other stretch has. Ids go on behind the
 * greatest of `before`, because a clock that was reset counts the same seconds again.
 */
export function withStretch(start: IdState, stretch: number, before?: IdState): IdState {
  const sequences: { [Prefix in IdPrefix]?: SequenceState } = {};
  for (const prefix of Object.keys({ ...start.sequences, ...before?.sequences }) as IdPrefix[]) {
    const { made = 0, last = "" } = start.sequences[prefix] ?? {};
    const { last: reached = "" } = before?.sequences[prefix] ?? {};
    // Ids of one prefix have the same length, and their order is that of their characters.
    const greatest = reached > last ? reached : last;
    sequences[prefix] = greatest === "" ? { made } : { made, last: greatest };
  }
  return { ...start, stretch, sequences };
}
