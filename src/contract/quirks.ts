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

/** What is done instead where the quirk is not asked for; for the page of known differences. */
export const withoutQuirk: Readonly<Record<Quirk, string>> = {
  "validate-first":
    "authentication comes before validation: a bad body without a token is answered 401",
  "unauthorized-403":
    "a missing or unknown token is answered 401, with the challenge `WWW-Authenticate: Bearer`",
  "plain-404":
    "an unknown route is answered 404 in the error envelope, a trailing slash too, with a message that says what is missing; a wrong method 405 with `Allow`",
  "trailing-cursor": "a cursor comes exactly when more keys follow",
  "plain-cursor": "the cursor is opaque, and one that no page could have returned is answered 400",
  "zero-total": "the total of a list is the number of keys of the API, whatever the filter",
  "truthy-strings":
    "both read true, false, 1, 0, null and the empty string, in any case; anything else is answered 400",
  "extra-fields": "listed keys carry the members that the interface names, and no others",
  "async-false": "async is true for a rate limit of the type fast, and false for consistent",
  "stale-list": "every list is read when it is asked for: a new key is in the next one",
};

export const quirkNames = Object.keys(quirks) as [Quirk, ...Quirk[]];

/** The quirks that an emulator has. */
export type Quirks = ReadonlySet<Quirk>;

/** The documented behaviour. */
export const NO_QUIRKS: Quirks = new Set();
