/** Compares two secrets in a time that depends only on their lengths, not on where they differ. */
export function isSameSecret(one: string, other: string): boolean {
  if (one.length !== other.length) return false;
  let difference = 0;
  for (let index = 0; index < one.length; index += 1) {
    // oxlint-disable-next-line no-bitwise -- an early return would reveal how many characters are right
    difference |= one.charCodeAt(index) ^ other.charCodeAt(index);
  }
  return difference === 0;
}
