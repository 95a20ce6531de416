import { kindOf } from "../../schema/problems.ts";
import {
  type Duration,
  EXPECTED_DURATION,
  EXPECTED_IN_RANGE,
  expectedTime,
  REAL,
  type Time,
  toDuration,
  toTime,
} from "./time-text.ts";
import { UsageError } from "../../base/usage-error.ts";

/** Frozen at a time, or running at an offset from the real time, both in milliseconds. */
type ClockMode = { readonly at: number } | { readonly offset: number };

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
  /** Increases with every call of a method that changes the clock. */
  revision = 0;
  /** The time of this clock when it started, or was last reset (unix ms). */
  startedAt: number;
  /** Called after every method that changes the clock. */
  onChange: () => void = () => {};

  /**
   * Without `start`, the clock follows the real time. With `start`, it is frozen at that time.
   * @throws UsageError if `start` is not a valid time
   */
  constructor(start?: Time) {
    this.#start = start === undefined ? REAL_MODE : { at: timeAt("now", start, Date.now()) };
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
    else this.#go(timeAt("clock", time, this.now()));
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
    this.revision += 1;
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

function timeAt(place: string, value: unknown, now: number): number {
  return toTime(value, now) ?? throwUnexpected(place, expectedTime(value), value);
}

/** Shows the value, because times and durations are no secrets. */
function throwUnexpected(place: string, expected: string, value: unknown): never {
  const got = typeof value === "string" ? JSON.stringify(value) : kindOf(value);
  throw new UsageError(`${place}: ${expected}, got ${got}`);
}
