import { toTime, type Clock } from "../store/clock.ts";
import type { EmulatorOptions } from "./options.ts";

/** The base time if there is a random seed and no `now`, so that made-up keys are always the same. */
export const BASE_TIME = Date.UTC(2026, 0, 1);

/** The time before which made-up keys were created (unix milliseconds). */
export function baseTimeOf(
  { madeUntil, now, randomSeed }: Pick<EmulatorOptions, "madeUntil" | "now" | "randomSeed">,
  clock: Pick<Clock, "now">,
): number {
  const until = toTime(madeUntil, clock.now());
  if (until !== undefined) return until;
  return now === undefined && randomSeed !== undefined ? BASE_TIME : clock.now();
}
