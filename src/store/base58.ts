const ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

/** Eight digits fit a double, so long numbers are cut into such pieces before they are spelled. */
const PIECE_DIGITS = 8;
const PIECE = 58n ** BigInt(PIECE_DIGITS);

/** A number in base58, left-padded with `1`, the digit zero, to `length` characters. */
export function encodeBase58(number: bigint, length = 1): string {
  let rest = number;
  let text = "";
  while (rest > 0n) {
    text = spellPiece(Number(rest % PIECE)) + text;
    rest /= PIECE;
  }
  return text.replace(/^1+/, "").padStart(length, "1");
}

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

function spellPiece(piece: number): string {
  let rest = piece;
  let text = "";
  for (let digit = 0; digit < PIECE_DIGITS; digit += 1) {
    text = ALPHABET.charAt(rest % 58) + text;
    rest = Math.floor(rest / 58);
  }
  return text;
}
