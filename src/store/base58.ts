const ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

const CODES = Array.from(ALPHABET, (digit) => digit.charCodeAt(0));
const ZERO = CODES[0] ?? 0;

/** Three digits and a word fit a double, so long numbers are divided by so much at a time. */
const STEP_DIGITS = 3;
const STEP = 58 ** STEP_DIGITS;
const WORD = 2 ** 32;

/** A number in base58, left-padded with `1`, the digit zero, to `length` characters. */
export function encodeBase58(number: bigint, length = 1): string {
  const words: number[] = [];
  for (let rest = number; rest > 0n; rest >>= 32n) words.unshift(Number(rest & 0xffff_ffffn));
  return spellWords(words, length);
}

/**
 * The same of a number as words of 32 bits, the greatest first, which are used up. Ids are spelled
 * for every request, and numbers of any size take four times as long.
 */
export function spellWords(words: number[], length = 1): string {
  const codes: number[] = [];
  for (let first = 0; first < words.length || codes.length < length;) {
    let rest = 0;
    for (let index = first; index < words.length; index += 1) {
      const dividend = rest * WORD + (words[index] ?? 0);
      const quotient = Math.floor(dividend / STEP);
      words[index] = quotient;
      rest = dividend - quotient * STEP;
    }
    for (let digit = 0; digit < STEP_DIGITS; digit += 1) {
      codes.push(CODES[rest % 58] ?? ZERO);
      rest = Math.floor(rest / 58);
    }
    while (words[first] === 0) first += 1;
  }
  while (codes.length > length && codes[codes.length - 1] === ZERO) codes.pop();
  return String.fromCharCode(...codes.reverse());
}

/** Eight digits fit a double, so long text is read in such pieces. */
const PIECE_DIGITS = 8;
const PIECE = 58n ** BigInt(PIECE_DIGITS);

/** The number that base58 text stands for, or undefined for text with any other character. */
export function decodeBase58(text: string): bigint | undefined {
  let number = 0n;
  for (let offset = 0; offset < text.length; offset += PIECE_DIGITS) {
    const piece = text.slice(offset, offset + PIECE_DIGITS);
    let value = 0;
    for (let index = 0; index < piece.length; index += 1) {
      const digit = ALPHABET.indexOf(piece.charAt(index));
      if (digit === -1) return undefined;
      value = value * 58 + digit;
    }
    const scale = piece.length === PIECE_DIGITS ? PIECE : 58n ** BigInt(piece.length);
    number = number * scale + BigInt(value);
  }
  return number;
}
