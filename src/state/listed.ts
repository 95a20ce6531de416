/**
 * What the fixtures of a workspace list, which made-up keys then have. A snapshot lists everything, so
 * it does not count, and neither does the fixture of an emulator that is created without one.
 */
export interface Listed {
  /** Names. */
  readonly roles: readonly string[];
  /** Slugs. */
  readonly permissions: readonly string[];
  /** External ids. */
  readonly identities: readonly string[];
  /** How many orders were made for each API, by its id. */
  readonly orders: ReadonlyMap<string, number>;
}

export const NOTHING_LISTED: Listed = {
  roles: [],
  permissions: [],
  identities: [],
  orders: new Map(),
};
