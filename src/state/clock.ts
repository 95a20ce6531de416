import { isDate } from "../base/realm.ts";
import ms from "ms";
import { kindOf } from "../schema/problems.ts";
import { startOfDay } from "./limits/refill.ts";
import { UsageError } from "../base/usage-error.ts";

/**
 * A time in a fixture, option or argument: unix milliseconds, an ISO 8601 date, a `Date`, or text that
 * counts from the clock's now, like `in 30d`, `90d ago` or `today` (its 00:00 UTC).
 */
export type Time = number | string | Date;
/** A duration in a fixture, option or argument: milliseconds, or text like `90s`, `5m`, `1h`, `2d`. */
export type Duration = number | string;

/** Frozen at a time, or running at an offset from the real time, both in milliseconds. */
type ClockMode = { readonly at: number } | { readonly offset: number };

/** In place of a time, where the clock is set: the real time, running. */
export const REAL = "real";
const REAL_MODE: ClockMode = { offset: 0 };

/** A clock as tests and users' operations see it. */
export type ClockControl = Omit<Clock, "fork" | "onChange" | "reset" | "revision" | "startedAt">;

/**
 * The time of an emulator, in unix milliseconds. A test can control it. Everything that depends on the
 * time reads this clock.
 */
export class Clock {
  readonly #start: ClockMode;
  #mode: ClockMode;
  #revision = 0;
  /** The time of this clock when it started, or was last reset (unix ms). */
  startedAt: number;
  /** Called after every method that changes the clock. */
  onChange: () => void = () => {};

  /**
   * Without `start`, the clock follows the real time. With `start`, it is frozen at that time.
   * @throws UsageError if `start` is not a valid time
   */
  constructor(start?: Time) {
    this.#start = start === undefined ? REAL_MODE : { at: readTime("now", start, Date.now()) };
    this.#mode = this.#start;
    this.startedAt = this.now();
  }

  /** Unix milliseconds. */
  now(): number {
    return "at" in this.#mode ? this.#mode.at : realTime() + this.#mode.offset;
  }

  get isFrozen(): boolean {
    return "at" in this.#mode;
  }

  /**
   * Jumps to a time, which may be in the past. A frozen clock stays frozen, a running one keeps running.
   * `"real"` follows the real time again, also after `freeze` or with the option `now`.
   * @throws UsageError if it is not a valid time
   */
  set(time: Time): void {
    if (time === REAL) this.#setMode(REAL_MODE);
    else this.#go(readTime("clock", time, this.now()));
  }

  /**
   * Moves forward by a duration: milliseconds, or text like `90s`, `5m`, `1h`, `2d`.
   * @throws UsageError if it is not a valid duration, or negative
   */
  advance(duration: Duration): void {
    const milliseconds =
      toDuration(duration) ?? throwUnexpected("clock", EXPECTED_DURATION, duration);
    const time = toTime(this.now() + milliseconds);
    this.#go(time ?? throwUnexpected("clock", EXPECTED_IN_RANGE, duration));
  }

  /** Increases with every call of a method that changes the clock. */
  get revision(): number {
    return this.#revision;
  }

  /** Stops at the current time. */
  freeze(): void {
    this.#setMode({ at: this.now() });
  }

  /** Runs again, from the current time of this clock. */
  resume(): void {
    this.#setMode({ offset: this.now() - realTime() });
  }

  /** Brings back the initial state: the real time, or frozen at `start`. */
  reset(): void {
    this.#setMode(this.#start);
    this.startedAt = this.now();
  }

  fork(): Clock {
    return "at" in this.#start ? new Clock(this.#start.at) : new Clock();
  }

  #go(time: number): void {
    this.#setMode(this.isFrozen ? { at: time } : { offset: time - realTime() });
  }

  #setMode(mode: ClockMode): void {
    this.#mode = mode;
    this.#revision += 1;
    this.onChange();
  }
}

/**
 * The real time in whole milliseconds. A test may replace `Date` at any time.
 * @throws UsageError if it is not a valid time
 */
function realTime(): number {
  const time = Math.floor(Date.now());
  if (time >= 0 && time <= MAX_TIME) return time;
  throw new UsageError(`clock: expected Date.now() to return a time from 1970 on, got ${time}`);
}

/** The last time that a `Date` can have, in unix milliseconds. */
const MAX_TIME = 8.64e15;

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

/**
 * Unix milliseconds; undefined if it is not a valid time.
 * @param now the time from which relative text counts. Default: the real time
 */
export function toTime(time: unknown, now = Date.now()): number | undefined {
  const milliseconds = toDate(time, now)?.getTime() ?? Number.NaN;
  return milliseconds >= 0 ? Math.floor(milliseconds) : undefined;
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

function toDate(time: unknown, now: number): Date | undefined {
  if (typeof time === "string") {
    if (time === "today") return new Date(startOfDay(now));
    if (MILLISECONDS.test(time)) return new Date(Number(time));
    return readRelative(time, now) ?? readDate(time);
  }
  return typeof time === "number" || isDate(time) ? new Date(Number(time)) : undefined;
}

function readRelative(text: string, now: number): Date | undefined {
  const [, ahead, duration, back] = RELATIVE.exec(text) ?? [];
  const milliseconds = toDuration(duration);
  if (milliseconds === undefined || (ahead === undefined) === (back === undefined))
    return undefined;
  return new Date(ahead === undefined ? now - milliseconds : now + milliseconds);
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

function readTime(place: string, value: unknown, now: number): number {
  return toTime(value, now) ?? throwUnexpected(place, expectedTime(value), value);
}

/** Quotes text, because times and durations are no secrets. */
function throwUnexpected(place: string, expected: string, value: unknown): never {
  const got = typeof value === "string" ? JSON.stringify(value) : kindOf(value);
  throw new UsageError(`${place}: ${expected}, got ${got}`);
}
