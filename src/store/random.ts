/**
 * Random bytes that depend on an address alone, not on what was drawn before: draw 7 of one
 * stream is the same whether or not another stream was used. A stream needs no state but its
 * place, and an emulator with the same seed makes the same world.
 *
 * The generator is sfc32, seeded with a hash of the address. It is quick and evenly spread, and
 * guessable: key values made here protect nothing.
 */
export function randomBytes(address: string, length: number): Uint8Array {
  const next = randomWords(address);
  const bytes = new Uint8Array(length);
  for (let offset = 0; offset < length; offset += 4) {
    let word = next();
    for (let index = offset; index < Math.min(offset + 4, length); index += 1) {
      bytes[index] = word & 0xff;
      word >>>= 8;
    }
  }
  return bytes;
}

/** A stream of numbers from 0 to 2^32 - 1, for what needs more than bytes. */
export function randomWords(address: string): () => number {
  return new RandomStreams(address).at("");
}

/** The streams whose addresses begin with the same text, which is taken in once. */
export class RandomStreams {
  readonly #start: Words;

  constructor(start: string) {
    this.#start = absorb(EMPTY, start);
  }

  /** The stream whose address goes on with `rest`. */
  at(rest: string): () => number {
    return sfc32(absorb(this.#start, rest));
  }
}

/** The next four bytes of a stream as a word; the first of them is the greatest. */
export function nextWord(next: () => number): number {
  const word = next();
  const upper = ((word & 0xff) << 24) | ((word & 0xff00) << 8);
  return (upper | ((word >>> 8) & 0xff00) | (word >>> 24)) >>> 0;
}

/** Six bytes fit a double, so long numbers are put together of such pieces. */
const PIECE_BYTES = 6;

/** Big-endian. */
export function toBigInt(bytes: Uint8Array): bigint {
  let number = 0n;
  for (let offset = 0; offset < bytes.length; offset += PIECE_BYTES) {
    const end = Math.min(offset + PIECE_BYTES, bytes.length);
    let piece = 0;
    for (let index = offset; index < end; index += 1) piece = piece * 256 + (bytes[index] ?? 0);
    number = (number << BigInt(8 * (end - offset))) | BigInt(piece);
  }
  return number;
}

/** Members instead of places: taking an array apart makes an iterator, and this runs for every id. */
interface Words {
  readonly a: number;
  readonly b: number;
  readonly c: number;
  readonly d: number;
}

const EMPTY: Words = { a: 0x811c9dc5, b: 0x01000193, c: 0x9e3779b9, d: 0x85ebca6b };

/** Four lanes of FNV-1a over the UTF-16 code units. */
function absorb(start: Words, text: string): Words {
  let { a, b, c, d } = start;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    a = Math.imul(a ^ unit, 0x01000193);
    b = Math.imul(b ^ unit, 0x5bd1e995);
    c = Math.imul(c ^ unit, 0xcc9e2d51);
    d = Math.imul(d ^ unit, 0x1b873593);
  }
  return { a, b, c, d };
}

function avalanche(word: number): number {
  let mixed = word ^ (word >>> 16);
  mixed = Math.imul(mixed, 0x85ebca6b);
  mixed ^= mixed >>> 13;
  mixed = Math.imul(mixed, 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

/** The generator, seeded with a hash of what was absorbed: each lane is mixed with its neighbour. */
function sfc32(lanes: Words): () => number {
  let a = avalanche(lanes.a ^ lanes.d);
  let b = avalanche(lanes.b ^ lanes.a);
  let c = avalanche(lanes.c ^ lanes.b);
  let counter = avalanche(lanes.d ^ lanes.c);
  const next = () => {
    const word = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + word) | 0;
    return word >>> 0;
  };
  // The first rounds still show the seed.
  for (let round = 0; round < 12; round += 1) next();
  return next;
}
