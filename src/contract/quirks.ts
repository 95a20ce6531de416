/**
 * What the live service does at odds with its interface, observed with its last public version.
 * Each is off unless it is asked for by name, and each changes one place of the code.
 */
export const quirks = {
  "validate-first":
    "validation comes before authentication: a bad body without a token is answered 400",
  "unauthorized-403": "a missing or unknown token is answered 403, without a challenge",
  "plain-404":
    "an unknown route, a wrong method and a trailing slash are answered 404 as text/plain; below /v2/ a wrong method 405",
  "trailing-cursor":
    "a cursor comes with every page that is not empty, so that clients fetch an empty one more",
  "plain-cursor": "the cursor is the id of the last key, and any string is accepted as one",
  "zero-total": "the total of a list is 0 when nobody has its externalId",
  "truthy-strings":
    "any text is true for decrypt and revalidateKeysCache: decrypt=false returns the values",
  "extra-fields":
    "listed keys carry environment, and more members in refill and ratelimit than documented",
  "async-false": "the rate limit of a listed key always has async false",
  "stale-list":
    "lists are cached for 60 s, and served once more after that: new keys are missing meanwhile",
} as const;

export type Quirk = keyof typeof quirks;

export const quirkNames = Object.keys(quirks) as [Quirk, ...Quirk[]];

/** The quirks that an emulator has. */
export type Quirks = ReadonlySet<Quirk>;

/** The documented behaviour. */
export const NO_QUIRKS: Quirks = new Set();
