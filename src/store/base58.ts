const ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

const CODES = Array.from(ALPHABET, (digit) => digit.charCodeAt(0));
const ZERO = CODES[0] ?? 0;

/**
 * Long numbers are divided limb by limb, four digits at a time: what is left over and a limb fit a
 * double, and a limb is a small integer to V8, which keeps an array of those without boxes.
 */
const STEP_DIGITS = 4;
const STEP = 58 ** STEP_DIGITS;
export const LIMB_BITS = 24;
const LIMB = 2 ** LIMB_BITS;

/** A number in base58, left-padded with `1`, the digit zero, to `length` characters. */
export function encodeBase58(number: bigint, length = 1): string {
  const limbs: number[] = [];
  for (let rest = number; rest > 0n; rest /= BigInt(LIMB))
    limbs.unshift(Number(rest % BigInt(LIMB)));
  return spellLimbs(limbs, length);
}

/**
 * The same of a number as limbs of 24 bits, the greatest first, which are used up. Ids are spelled
 * for every request, and numbers of any size take four times as long.
 * @param start stands before the digits; put together here, the text is one piece of memory
 */
export function spellLimbs(limbs: number[], length = 1, start = ""): string {
  const codes: number[] = [];
  for (let first = 0; first < limbs.length || codes.length < length;) {
    let rest = 0;
    for (let index = first; index < limbs.length; index += 1) {
      const dividend = rest * LIMB + (limbs[index] ?? 0);
      const quotient = Math.floor(dividend / STEP);
      limbs[index] = quotient;
      rest = dividend - quotient * STEP;
    }
    for (let digit = 0; digit < STEP_DIGITS; digit += 1) {
      codes.push(CODES[rest % 58] ?? ZERO);
      rest = Math.floor(rest / 58);
    }
    while (limbs[first] === 0) first += 1;
  }
  while (codes.length > length && codes[codes.length - 1] === ZERO) codes.pop();
  for (let index = start.length - 1; index >= 0; index -= 1) codes.push(start.charCodeAt(index));
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
