/** The groups of the interface; it shows operations of the first two only. */
export const groups = [
  "keys",
  "apis",
  "permissions",
  "identities",
  "ratelimits",
  "analytics",
  "migrations",
] as const;
