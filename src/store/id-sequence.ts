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

/**
 * Makes the ids of one prefix: seconds, then random bytes, in base58. Ids of the live service are
 * random within a second; these are strictly increasing, so that keys are listed in the order in
 * which they were created, also when the clock stands still or goes back.
 */
export class IdSequence {
  readonly #prefix: IdPrefix;
  readonly #address: string;
  #drawn = 0;
  #last = -1n;

  /** `address` names the stream of random bytes; two sequences never share one. */
  constructor(prefix: IdPrefix, address: string) {
    this.#prefix = prefix;
    this.#address = `${address}/id/${prefix}`;
  }

  /** The next id, for something made at `time` (unix milliseconds). */
  next(time: number): string {
    const random = toBigInt(randomBytes(`${this.#address}/${this.#drawn}`, 8));
    this.#drawn += 1;
    const seconds = secondsSinceEpoch(time);
    this.#last =
      seconds > this.#last >> 64n
        ? // The upper half of the second is left free for those that follow in it.
          (seconds << 64n) | (random >> 1n)
        : this.#last + 1n + (random >> 24n);
    if (this.#last >= END) throw new RangeError(`no ${this.#prefix} ids are left after this one`);
    return `${this.#prefix}_${encodeBase58(this.#last, ID_LENGTH)}`;
  }

  /** Takes note of an id that was given and not made here: those to come are greater. */
  observe(id: string): void {
    const digits = id.slice(this.#prefix.length + 1);
    if (!id.startsWith(`${this.#prefix}_`) || digits.length !== ID_LENGTH) return;
    const number = decodeBase58(digits);
    if (number === undefined || number >> 64n > LAST_SECOND) return;
    if (number > this.#last) this.#last = number;
  }

  /** Starts over, as if no id had been made. */
  rewind(): void {
    this.#drawn = 0;
    this.#last = -1n;
  }
}

function secondsSinceEpoch(time: number): bigint {
  const seconds = BigInt(Math.max(0, Math.floor(time / 1000) - EPOCH_SECONDS));
  return seconds > LAST_SECOND ? LAST_SECOND : seconds;
}
