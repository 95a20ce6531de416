/** A key that this page has made, with its value. */
interface Made {
  readonly key: string;
  readonly keyId: string;
}

/** The last one. Its value is shown beside it, because most values cannot be read again. */
let last: Made | undefined;

export function keepMade(made: Made): void {
  last = made;
}

/** The value of a key, if it is the one that was made last. */
export function madeValue(keyId: string | undefined): string | undefined {
  return last !== undefined && last.keyId === keyId ? last.key : undefined;
}
