import ms from "ms";
import { kindOf } from "../schema/problems.ts";
import { UsageError } from "../usage-error.ts";

/** A time as a person gives it: unix milliseconds, an ISO 8601 date, or a `Date`. */
export type Time = number | string | Date;
/** A span as a person gives it: milliseconds, or text like `90s`, `5m`, `1h`, `2d`. */
export type Duration = number | string;

/** How a clock goes: it stands at a time, or runs so far (ms) ahead of the real one. */
type Pace = { readonly at: number } | { readonly ahead: number };

/**
 * Tells an emulator's time, in unix milliseconds, and lets a test steer it. Everything that needs
 * the time asks it, so that keys, ids, tokens and cached lists all are of the same one.
 */
export class Clock {
  readonly #start: Pace;
  #pace: Pace;
  #revision = 0;

  /**
   * A clock of real time, or with `start` one that stands still there.
   * @throws UsageError for what is no time
   */
  constructor(start?: Time) {
    this.#start = start === undefined ? { ahead: 0 } : { at: readTime("now", start) };
    this.#pace = this.#start;
  }

  /** Unix milliseconds. */
  now(): number {
    // Asked for each time: fake timers may have taken the place of `Date`.
    return "at" in this.#pace ? this.#pace.at : Date.now() + this.#pace.ahead;
  }

  get isFrozen(): boolean {
    return "at" in this.#pace;
  }

  /**
   * Goes to this time, also back, and stands still or runs on from there as before.
   * @throws UsageError for what is no time
   */
  set(time: Time): void {
    this.#go(readTime("clock", time));
  }

  /**
   * Goes on by this much: milliseconds, or `90s`, `5m`, `1h`, `2d`.
   * @throws UsageError for what is no duration, and for one that is negative
   */
  advance(duration: Duration): void {
    const time = toTime(this.now() + readDuration(duration));
    this.#go(time ?? refuse(`clock: ${EXPECTED_REACH}`, duration));
  }

  /** Grows each time that it is steered. */
  get revision(): number {
    return this.#revision;
  }

  /** Stands still from now on. */
  freeze(): void {
    this.#steer({ at: this.now() });
  }

  /** Runs again, from where it stands. */
  resume(): void {
    this.#steer({ ahead: this.now() - Date.now() });
  }

  /** Goes as it did in the beginning. */
  reset(): void {
    this.#steer(this.#start);
  }

  /** Another clock, which goes as this one did in the beginning. */
  fork(): Clock {
    return "at" in this.#start ? new Clock(this.#start.at) : new Clock();
  }

  #go(time: number): void {
    this.#steer(this.isFrozen ? { at: time } : { ahead: time - Date.now() });
  }

  #steer(pace: Pace): void {
    this.#pace = pace;
    this.#revision += 1;
  }
}

export const EXPECTED_TIME =
  "expected a time from 1970 on, as an ISO 8601 date or unix milliseconds";
export const EXPECTED_DURATION =
  "expected a duration of 0 or more, in milliseconds or as text like 90s, 5m, 1h or 2d";

export const EXPECTED_REACH = "expected a duration that ends before the year 275760";

/** So many digits are milliseconds; fewer are seconds, a year, or a mistake. */
const MILLISECONDS = /^\d{12,16}$/;
/**
 * A year, month or day, or a day and a time; without a zone it is UTC, so that it is the same on
 * every machine.
 */
const DAY = /^(\d{4}|[+]\d{6})(?:-(\d\d))?(?:-(\d\d))?$/;
const MOMENT =
  /^((?:\d{4}|[+]\d{6})-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,20})?)?)(Z|[+-]\d\d(?::?\d\d)?)?$/i;

/** Unix milliseconds; undefined for what is no time. */
export function toTime(time: unknown): number | undefined {
  const milliseconds = toDate(time)?.getTime() ?? Number.NaN;
  return milliseconds >= 0 ? Math.floor(milliseconds) : undefined;
}

function toDate(time: unknown): Date | undefined {
  if (typeof time === "string") {
    return MILLISECONDS.test(time) ? new Date(Number(time)) : readDate(time);
  }
  return typeof time === "number" || time instanceof Date ? new Date(time) : undefined;
}

function readDate(text: string): Date | undefined {
  const [, date, clock = "", zone = "Z"] = MOMENT.exec(text) ?? [];
  const [, year, month = "01", day = "01"] = DAY.exec(date ?? text) ?? [];
  if (year === undefined) return undefined;
  const start = new Date(`${year}-${month}-${day}T00:00Z`);
  // There is no 30 February, but `Date` makes it a day of March.
  const isDay = !Number.isNaN(start.getTime()) && start.getUTCDate() === Number(day);
  if (!isDay || date === undefined) return isDay ? start : undefined;
  const offset = zone.length === 3 ? `${zone}:00` : zone.toUpperCase();
  return new Date(`${date}T${clock}${offset}`);
}

/** Text that the parser is asked to read; longer text makes it throw. */
const DURATION = /^[\d.]{1,20} ?[a-z]{0,12}$/i;

/** Milliseconds; undefined for what is no duration. */
export function toDuration(duration: unknown): number | undefined {
  const isText = typeof duration === "string" && DURATION.test(duration);
  const milliseconds = isText ? ms(duration as ms.StringValue) : duration;
  return typeof milliseconds === "number" && milliseconds >= 0 && milliseconds < Infinity
    ? Math.floor(milliseconds)
    : undefined;
}

function readTime(what: string, value: unknown): number {
  return toTime(value) ?? refuse(`${what}: ${EXPECTED_TIME}`, value);
}

function readDuration(value: unknown): number {
  return toDuration(value) ?? refuse(`clock: ${EXPECTED_DURATION}`, value);
}

function refuse(line: string, value: unknown): never {
  const got = typeof value === "string" ? JSON.stringify(value) : kindOf(value);
  throw new UsageError(`${line}, got ${got}`);
}
