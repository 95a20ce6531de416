/** ASCII, so that comparing strings compares bytes, and a cursor can hold them. */
export const ID = /^[A-Za-z0-9_-]{1,256}$/;

export const EXPECTED_ID = "expected an id of 1 to 256 letters, digits, _ or -";

/** Whether a record can have this id. */
export function isId(value: string): boolean {
  return ID.test(value);
}
