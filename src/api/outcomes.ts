/** The outcomes of a verification: the `code` of its result. */
export const outcomes = [
  "VALID",
  "NOT_FOUND",
  "FORBIDDEN",
  "DISABLED",
  "EXPIRED",
  "INSUFFICIENT_PERMISSIONS",
  "RATE_LIMITED",
  "USAGE_EXCEEDED",
] as const;
export type Outcome = (typeof outcomes)[number];

/** How often each outcome came; those that did not come are left out. */
export type OutcomeCounts = Partial<Record<Outcome, number>>;
