/**
 * Behaviour of the live service that contradicts its documented interface, observed with its last
 * public version. All quirks are off by default. They change v1; `plain-404` and `random-ids` change v2
 * too, and `cached-verifications` changes v2 alone. Search the code for the name of a quirk to see all
 * that it changes.
 */
export const quirks = {
  "validate-first":
    "validation comes before authentication: a bad body without a token is answered 400",
  "unauthorized-403": "a missing or unknown token is answered 403, without a challenge",
  "plain-404":
    "below /v1/, an unknown route, a wrong method and a trailing slash are answered 404 as text/plain; elsewhere 404 and 405 have the texts of the service",
  "trailing-cursor":
    "every page that is not empty has a cursor, so clients fetch one more page, which is empty",
  "plain-cursor": "the cursor is the id of the last key, and any string is accepted as one",
  "zero-total": "the total of a list is 0 when no identity has its externalId",
  "truthy-strings":
    "any text is true for decrypt and revalidateKeysCache: decrypt=false returns the values",
  "extra-fields": "listed keys have environment, and undocumented members in refill and ratelimit",
  "async-false": "the rate limit of a listed key always has async false",
  "random-ids": "ids are random, so lists are not in the order of creation",
  "stale-list":
    "lists are cached for 60 s and served once more after that, so new keys are missing for a while",
  "cached-verifications":
    "verifications read keys from a cache, so a key that was changed or deleted verifies as before for up to 10 s",
} as const;

export type Quirk = keyof typeof quirks;

export const quirkNames = Object.keys(quirks) as [Quirk, ...Quirk[]];

export type Quirks = ReadonlySet<Quirk>;

export const NO_QUIRKS: Quirks = new Set();
