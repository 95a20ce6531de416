import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkLimits, type Counter, type LimitRequest } from "../../src/state/limits/counters.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** The start of a window of a minute, and of one of an hour. */
const START = 500_000 * HOUR;

/** Counters that stores what a check returns. */
function givenLimits() {
  const counters = new Map<string, Counter>();
  return {
    counters,
    check(now: number, ...requests: Partial<LimitRequest>[]) {
      const checked = checkLimits(requests.map(toRequest), (id) => counters.get(id), now);
      for (const counter of checked.counters) counters.set(counter.id, counter);
      return checked.results;
    },
  };
}

function toRequest(members: Partial<LimitRequest>): LimitRequest {
  return { ownerId: "key_1", name: "calls", limit: 10, duration: MINUTE, cost: 1, ...members };
}

describe("the window before", () => {
  test("uses of the window before are weighed in floating point, as in the service", () => {
    const { check } = givenLimits();
    check(START, { cost: 10 });

    // 10 × (1 − 54,000 / 60,000) is 1, and 0.9999999999999998 with floating point numbers.
    expect(check(START + MINUTE + 54_000, { cost: 0 })).toMatchObject([{ remaining: 10 }]);
  });
});

describe("a clock that goes back", () => {
  test("a clock that goes back within a window gives the window before more weight", () => {
    const { check } = givenLimits();
    check(START, { cost: 10 });
    check(START + MINUTE + 50_000, {});

    // 10 × 50,000 / 60,000 = 8.3, and 1 in the current window.
    expect(check(START + MINUTE + 10_000, { cost: 0 })).toMatchObject([{ remaining: 1 }]);
  });

  test("a clock that goes back to an earlier window leaves a rate limit in its own window", () => {
    const { check, counters } = givenLimits();
    check(START, { cost: 4 });
    check(START + MINUTE, { cost: 1 });
    const reset = START + 2 * MINUTE;

    expect(check(START - HOUR, { cost: 2 })).toEqual([{ exceeded: false, remaining: 3, reset }]);
    expect([...counters.values()]).toMatchObject([
      { window: (START + MINUTE) / MINUTE, current: 3, previous: 4 },
    ]);
    // 3 in the current window, and 4 × 30,000 / 60,000 from the window before.
    expect(check(START + MINUTE + 30_000, { cost: 0 })).toMatchObject([{ remaining: 5 }]);
  });

  test("a clock that goes back never makes the result of a rate limit negative or NaN", () => {
    const time = fc.integer({ min: 0, max: 20_000 });
    const call = fc.tuple(time, fc.nat(5), fc.nat(12), fc.constantFrom(1, 7, 1_000, 4_321));

    fc.assert(
      fc.property(fc.array(call), (calls) => {
        const { check, counters } = givenLimits();
        for (const [now, limit, cost, duration] of calls) {
          const [result] = check(now, { limit, cost, duration });
          expect(result?.remaining).toBeGreaterThanOrEqual(0);
          expect(result?.remaining).toBeLessThanOrEqual(limit);
          expect(result?.reset).toBeGreaterThan(now);
        }
        for (const { current, previous } of counters.values()) {
          expect(current).toBeLessThanOrEqual(5);
          expect(previous).toBeLessThanOrEqual(5);
        }
      }),
    );
  });
});

test("rate limits allow what they would if each use were stored with its time", () => {
  const request = fc.record({
    ownerId: fc.constantFrom("key_1", "id_1"),
    name: fc.constantFrom("a", "b"),
    limit: fc.oneof(fc.nat(12), fc.constantFrom(1e6, 1e12)),
    duration: fc.constantFrom(1_000, 1_007, 60_000),
    cost: fc.oneof(fc.nat(4), fc.constantFrom(0, 99_999, 333_333_333_333)),
  });
  const call = fc.record({
    wait: fc.oneof(fc.nat(400), fc.nat(3_000), fc.nat(100_000)),
    requests: fc.array(request, { maxLength: 4 }),
  });

  fc.assert(
    fc.property(fc.nat(1e9), fc.array(call, { maxLength: 40 }), (start, calls) => {
      const { check } = givenLimits();
      const model = givenModel();
      let now = start;
      for (const { requests, wait } of calls) {
        now += wait;
        expect(check(now, ...requests)).toEqual(model.check(now, requests));
      }
    }),
    { numRuns: 500 },
  );
});

interface Use {
  readonly request: LimitRequest;
  readonly time: number;
}

/** Limits that keep every use with its time, and count them at each check. */
function givenModel() {
  let uses: readonly Use[] = [];
  return {
    check(now: number, requests: readonly LimitRequest[]) {
      let next = uses;
      const effective = requests.map((request) => {
        const count = countUses(next, request, now) + BigInt(request.cost);
        const exceeded = request.limit === 0 || count > BigInt(request.limit);
        if (!exceeded) next = [...next, { request, time: now }];
        return { count, exceeded };
      });
      const isRefused = effective.some(({ exceeded }) => exceeded);
      if (!isRefused) uses = next;
      return requests.map((request, index) => {
        const { count = 0n, exceeded = false } = effective[index] ?? {};
        const shown = isRefused ? count - BigInt(request.cost) : count;
        const remaining = exceeded ? 0 : request.limit - Number(shown);
        const reset = now - (now % request.duration) + request.duration;
        return { exceeded, remaining, reset };
      });
    },
  };
}

/** The uses of the current window, and the part of the earlier ones that still counts. */
function countUses(uses: readonly Use[], limit: LimitRequest, now: number): bigint {
  const { duration } = limit;
  const elapsed = now % duration;
  const start = now - elapsed;
  let [current, previous] = [0n, 0n];
  for (const { request, time } of uses) {
    const isSame =
      request.ownerId === limit.ownerId &&
      request.name === limit.name &&
      request.duration === duration;
    if (!isSame) continue;
    if (time >= start) current += BigInt(request.cost);
    else if (time >= start - duration) previous += BigInt(request.cost);
  }
  return current + (previous * BigInt(duration - elapsed)) / BigInt(duration);
}
