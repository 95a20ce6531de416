import ms from "ms";
import { isDate } from "../../base/realm.ts";
import type { Problem } from "../../schema/problems.ts";
import { startOfDay } from "./refill.ts";

/**
 * A time in a fixture, option or argument: unix milliseconds, an ISO 8601 date, a `Date`, or text that
 * counts from the clock's now, like `in 30d`, `90d ago` or `today` (its 00:00 UTC).
 */
export type Time = number | string | Date;
/** A duration in a fixture, option or argument: milliseconds, or text like `90s`, `5m`, `1h`, `2d`. */
export type Duration = number | string;

const EXPECTED_TIME =
  'expected a time in unix milliseconds, or as "2026-03-01T00:00:00Z" or "in 30d"';
export const EXPECTED_DURATION =
  "expected a duration of 0 or more, in milliseconds or as text like 90s, 5m, 1h or 2d";

export const EXPECTED_IN_RANGE = "expected a duration that ends before the year 275760";

/**
 * Text with 12 to 16 digits is unix milliseconds, and four digits are a year. Other numbers are refused,
 * because they could be seconds.
 */
const MILLISECONDS = /^\d{12,16}$/;
/**
 * ISO 8601: a year, month or day, or a day with a time. A time without a zone is UTC, so that it means
 * the same on every machine. `Date` would read it as local time.
 */
const DAY = /^(\d{4}|[+]\d{6})(?:-(\d\d))?(?:-(\d\d))?$/;
const DATE_TIME =
  /^((?:\d{4}|[+]\d{6})-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,20})?)?)(Z|[+-]\d\d(?::?\d\d)?)?$/i;

/** `in 30d` and `90d ago`. The unit is needed, because a bare number could be anything. */
const RELATIVE = /^(in )?([\d.]+ ?[A-Za-z]+)( ago)?$/;
/** Other texts that mean a time from now: `+30d`, `30d`, `now-90d`, `30 days from now`. */
const NEARLY_RELATIVE = /^(?:now)? ?([+-])? ?([\d.]+ ?[a-z]+)( from now| later)?$/i;

/** Sets the clock to the real time, running. */
export const REAL = "real";

/** A time that counts from now, like `in 30d`. `resolveTimes` puts a time in its place. */
class FromNow {
  readonly text: string;
  /** The time in unix milliseconds; undefined if no `Date` can have it. */
  readonly at: (now: number) => number | undefined;

  constructor(text: string, at: (now: number) => number) {
    this.text = text;
    this.at = (now) => validTime(at(now));
  }
}

/** Unix milliseconds, or a time from now; undefined if it is not a valid time. */
export function readTime(time: unknown): number | FromNow | undefined {
  if (typeof time === "number" || isDate(time)) return validTime(Number(time));
  if (typeof time !== "string") return undefined;
  if (time === "today") return new FromNow(time, startOfDay);
  if (MILLISECONDS.test(time)) return validTime(Number(time));
  return readRelative(time) ?? validTime(Number(readDate(time)));
}

/**
 * Unix milliseconds; undefined if it is not a valid time.
 * @param now the time from which relative text counts. Default: the real time
 */
export function toTime(time: unknown, now = Date.now()): number | undefined {
  const read = readTime(time);
  return read instanceof FromNow ? read.at(now) : read;
}

/**
 * Puts a time in the place of each text that counts from now, at every depth of a value that a schema
 * has read. Only the code that knows the clock can do so.
 * @returns a problem for each time that is out of range
 */
export function resolveTimes(
  value: unknown,
  now: number,
  path: readonly PropertyKey[] = [],
): readonly Problem[] {
  if (typeof value !== "object" || value === null) return NO_PROBLEMS;
  const problems: Problem[] = [];
  const members = value as Record<string, unknown>;
  for (const name in members) {
    const member = members[name];
    // Most members are primitive.
    if (typeof member !== "object" || member === null) continue;
    const place = [...path, Array.isArray(value) ? Number(name) : name];
    if (!(member instanceof FromNow)) {
      problems.push(...resolveTimes(member, now, place));
      continue;
    }
    const time = member.at(now);
    if (time !== undefined) members[name] = time;
    else problems.push({ path: place, expected: expectedTime(member.text), value: member.text });
  }
  return problems;
}

const NO_PROBLEMS: readonly Problem[] = [];

function validTime(milliseconds: number): number | undefined {
  const time = new Date(milliseconds).getTime();
  return time >= 0 ? time : undefined;
}

/** The message for a value that is no time. */
export function expectedTime(value: unknown): string {
  const [, sign, duration, later] =
    NEARLY_RELATIVE.exec(typeof value === "string" ? value : "") ?? [];
  if (toDuration(duration) === undefined) return EXPECTED_TIME;
  const [ahead, back] = [`"in ${duration}"`, `"${duration} ago"`];
  if (sign === "-") return `expected ${back}`;
  return `expected ${sign === undefined && later === undefined ? `${ahead} or ${back}` : ahead}`;
}

function readRelative(text: string): FromNow | undefined {
  const [, ahead, duration, back] = RELATIVE.exec(text) ?? [];
  const milliseconds = toDuration(duration);
  if (milliseconds === undefined || (ahead === undefined) === (back === undefined))
    return undefined;
  const sign = ahead === undefined ? -1 : 1;
  return new FromNow(text, (now) => now + sign * milliseconds);
}

function readDate(text: string): Date | undefined {
  const [, date, clock = "", zone = "Z"] = DATE_TIME.exec(text) ?? [];
  const [, year, month = "01", day = "01"] = DAY.exec(date ?? text) ?? [];
  if (year === undefined) return undefined;
  const start = new Date(`${year}-${month}-${day}T00:00Z`);
  // `Date` accepts 30 February, as a day of March.
  const isDay = !Number.isNaN(start.getTime()) && start.getUTCDate() === Number(day);
  if (!isDay || date === undefined) return isDay ? start : undefined;
  const offset = zone.length === 3 ? `${zone}:00` : zone.toUpperCase();
  return new Date(`${date}T${clock}${offset}`);
}

/** Checked before `ms` parses the text, because `ms` throws for text over 100 characters. */
const DURATION = /^[\d.]{1,20} ?[a-z]{0,12}$/i;

/** Milliseconds; undefined if it is not a valid duration. */
export function toDuration(duration: unknown): number | undefined {
  const isText = typeof duration === "string" && DURATION.test(duration);
  const milliseconds = isText ? ms(duration as ms.StringValue) : duration;
  return typeof milliseconds === "number" && milliseconds >= 0 && milliseconds < Infinity
    ? Math.floor(milliseconds)
    : undefined;
}
