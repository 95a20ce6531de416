import { kindOf } from "../contract/problems.ts";
import { UsageError } from "../usage-error.ts";

/** Tells the emulator's time, in unix milliseconds. Everything that needs the time asks it. */
export interface Clock {
  now(): number;
}

/** A time as a person gives it: unix milliseconds, an ISO 8601 date, or a `Date`. */
export type Time = number | string | Date;

/** Real time, or with `start` a clock that stands still there. Throws `UsageError`. */
export function createClock(start?: Time): Clock {
  if (start === undefined) return { now: () => Date.now() };
  const time = toMilliseconds(start);
  return { now: () => time };
}

export const EXPECTED_TIME =
  "expected a time from 1970 on, as an ISO 8601 date or unix milliseconds";

/** So many digits are milliseconds; fewer are a year, or a mistake. */
const MILLISECONDS = /^\d{9,}$/;

function toMilliseconds(time: unknown): number {
  const milliseconds = toDate(time)?.getTime() ?? Number.NaN;
  if (milliseconds >= 0) return Math.floor(milliseconds);
  const got = typeof time === "string" ? JSON.stringify(time) : kindOf(time);
  throw new UsageError(`now: ${EXPECTED_TIME}, got ${got}`);
}

function toDate(time: unknown): Date | undefined {
  if (typeof time === "string") return new Date(MILLISECONDS.test(time) ? Number(time) : time);
  return typeof time === "number" || time instanceof Date ? new Date(time) : undefined;
}
