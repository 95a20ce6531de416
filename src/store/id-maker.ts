import { IdSequence, type IdPrefix } from "./id-sequence.ts";
import { makeKeyValue } from "./key-value.ts";

/** The ids and key values of one workspace, each kind from a random stream of its own. */
export class IdMaker {
  readonly #address: string;
  readonly #sequences = new Map<IdPrefix, IdSequence>();
  #keyValues = 0;

  /** Two makers with the same address make the same ids. */
  constructor(address: string) {
    this.#address = address;
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

  /** Starts over, as if nothing had been made. */
  rewind(): void {
    this.#keyValues = 0;
    for (const sequence of this.#sequences.values()) sequence.rewind();
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
