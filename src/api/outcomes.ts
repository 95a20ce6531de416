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

/** How often each outcome came, without outcomes that never came. */
export type OutcomeCounts = Partial<Record<Outcome, number>>;

/** Answers that a fault can force instead of yes. */
export const refusedAnswers = [
  "EXPIRED",
  "DISABLED",
  "NOT_FOUND",
  "USAGE_EXCEEDED",
  "RATE_LIMITED",
  "INSUFFICIENT_PERMISSIONS",
] as const satisfies readonly Outcome[];
export type RefusedAnswer = (typeof refusedAnswers)[number];

/** The operations whose answer a fault can change, with the answers that they can give. */
export const answersOf: ReadonlyMap<string, readonly RefusedAnswer[]> = new Map<
  string,
  readonly RefusedAnswer[]
>([
  ["keys.verifyKey", refusedAnswers],
  ["ratelimit.limit", ["RATE_LIMITED"]],
  ["ratelimit.multiLimit", ["RATE_LIMITED"]],
  ["ratelimits.limit", ["RATE_LIMITED"]],
]);
