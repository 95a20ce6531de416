import fc from "fast-check";
import { expect, test } from "vitest";
import { lastRefill } from "../../src/state/time/refill.ts";

const DAY = 86_400_000;
const daily = { interval: "daily" } as const;
const monthly = (refillDay?: number) => ({ interval: "monthly", refillDay }) as const;

test("the last refill is the one that a walk over the days of a calendar finds", () => {
  const schedule = fc.oneof(
    fc.constant(daily),
    fc.option(fc.integer({ min: 1, max: 31 }), { nil: undefined }).map(monthly),
  );
  const day = fc.integer({ min: 0, max: Math.floor(Date.UTC(2101, 0) / DAY) });
  const time = fc
    .tuple(day, fc.oneof(fc.constantFrom(-1, 0, 1), fc.nat(DAY - 1)))
    .map(([days, rest]) => Math.max(0, days * DAY + rest));
  const span = fc.oneof(
    fc.nat(3 * DAY),
    fc.nat(70 * DAY),
    fc.nat(36_500 * DAY),
    fc.integer({ min: -DAY, max: 0 }),
  );

  fc.assert(
    fc.property(schedule, time, span, (refill, after, length) => {
      const until = after + length;

      expect(lastRefill(refill, after, until)).toBe(walk(refill, after, until));
    }),
    { numRuns: 3_000 },
  );
});

/** Looks at every midnight, the last one first. */
function walk(refill: Parameters<typeof lastRefill>[0], after: number, until: number) {
  for (let time = Math.floor(until / DAY) * DAY; time > after; time -= DAY) {
    const day = new Date(time).getUTCDate();
    const isLastDay = new Date(time + DAY).getUTCDate() === 1;
    const { interval, refillDay = 1 } = refill;
    if (interval === "daily" || refillDay === day || (isLastDay && refillDay > day)) return time;
  }
  return undefined;
}
