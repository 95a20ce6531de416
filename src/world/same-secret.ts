/** Compares two secrets in a time that depends on their lengths alone, not on where they differ. */
export function isSameSecret(one: string, other: string): boolean {
  if (one.length !== other.length) return false;
  let difference = 0;
  for (let index = 0; index < one.length; index += 1) {
    // oxlint-disable-next-line no-bitwise -- an early return would tell how much of it was right
    difference |= one.charCodeAt(index) ^ other.charCodeAt(index);
  }
  return difference === 0;
}
