/** The members of a key's refill that say when it is due. */
interface Schedule {
  readonly interval: "daily" | "monthly";
  readonly refillDay?: number | undefined;
}

/** In milliseconds. */
export const DAY = 86_400_000;

/**
 * The last refill that was due after `after` and up to `until`, in unix milliseconds; undefined if
 * there was none. Refills happen at 00:00 UTC. Only the last one matters, because a refill sets the
 * uses to an amount.
 */
export function lastRefill(refill: Schedule, after: number, until: number): number | undefined {
  const due = refill.interval === "daily" ? startOfDay(until) : monthlyDue(refill, until);
  return due > after ? due : undefined;
}

/** The last 00:00 UTC up to a time. Unix milliseconds. */
export function startOfDay(time: number): number {
  return Math.floor(time / DAY) * DAY;
}

/** The last monthly refill up to a time: in its month, or else in the month before. */
function monthlyDue({ refillDay = 1 }: Schedule, until: number): number {
  const date = new Date(until);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  const due = dayOfMonth(year, month, refillDay);
  return due <= until ? due : dayOfMonth(year, month - 1, refillDay);
}

/** The start of a day of a month, or of the last day if the month is shorter. */
function dayOfMonth(year: number, month: number, day: number): number {
  // Day 0 is the day before the first of the month.
  return Math.min(Date.UTC(year, month, day), Date.UTC(year, month + 1, 0));
}
