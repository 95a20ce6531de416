/**
 * Times in seconds from 2020, when there was no such service yet, to 2286. In milliseconds, these numbers are
 * days of early 1970. Other days of the past may be chosen on purpose, for a key that has expired.
 */
const [FIRST_SECONDS, FIRST_MILLISECONDS] = [Date.UTC(2020, 0) / 1_000, 1e10];

/**
 * Whether a time is in seconds where milliseconds belong.
 * @param now the emulator's time, in unix milliseconds: before 1970-04-26, it is not certain
 */
export function isInSeconds(time: unknown, now: number): time is number {
  if (typeof time !== "number" || now < FIRST_MILLISECONDS) return false;
  return time >= FIRST_SECONDS && time < FIRST_MILLISECONDS;
}

/** `expires: 1735689600 is read as milliseconds: 1970-01-21. As seconds, it would be 2025-01-01` */
export function inSecondsText(expires: number): string {
  return `expires: ${expires} is read as milliseconds: ${dayOf(expires)}. As seconds, it would be ${dayOf(expires * 1_000)}`;
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
