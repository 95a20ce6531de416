import { IdSequence, type IdPrefix, type SequenceState } from "./id-sequence.ts";
import { makeKeyValue } from "./key-value.ts";

/** Where the ids and key values of a workspace stand. */
export interface IdState {
  /** What everything is made from. */
  readonly seed: number;
  /** How many key values were made. */
  readonly keyValues: number;
  readonly sequences: { readonly [Prefix in IdPrefix]?: SequenceState | undefined };
}

/** The ids and key values of one workspace, each kind from a random stream of its own. */
export class IdMaker {
  readonly #path: string;
  readonly #sequences = new Map<IdPrefix, IdSequence>();
  #seed: number;
  #keyValues = 0;

  /** Two makers with the same seed and path make the same ids. */
  constructor(seed: number, path: string) {
    this.#seed = seed;
    this.#path = path;
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

  get state(): IdState {
    const prefixes = [...this.#sequences.keys()].toSorted();
    return {
      seed: this.#seed,
      keyValues: this.#keyValues,
      sequences: Object.fromEntries(
        prefixes.map((prefix) => [prefix, this.#sequence(prefix).state]),
      ),
    };
  }

  /** Goes on from there. */
  resume({ seed, keyValues, sequences }: IdState): void {
    this.#seed = seed;
    this.#keyValues = keyValues;
    this.#sequences.clear();
    for (const prefix of Object.keys(sequences) as IdPrefix[]) {
      const state = sequences[prefix];
      if (state !== undefined) this.#sequence(prefix).resume(state);
    }
  }

  get #address(): string {
    return `${this.#seed}${this.#path}`;
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
