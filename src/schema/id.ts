/**
 * Only ASCII. So a comparison of strings sorts ids by their bytes, and a cursor can encode an id with
 * `btoa`.
 */
export const ID = /^[A-Za-z0-9_-]{1,256}$/;

export const EXPECTED_ID = "expected an id of 1 to 256 letters, digits, _ or -";

/** The longest id of a keyspace that `keys.verifyKey` accepts. */
export const MAX_KEYSPACE_ID = 100;
export const KEYSPACE_ID = new RegExp(`^[A-Za-z0-9_-]{1,${MAX_KEYSPACE_ID}}$`);
export const EXPECTED_KEYSPACE_ID = `expected an id of 1 to ${MAX_KEYSPACE_ID} letters, digits, _ or -`;

export function isId(value: string): boolean {
  return ID.test(value);
}
