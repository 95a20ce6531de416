import fc from "fast-check";
import { expect, test } from "vitest";
import { Counters } from "../../src/state/limits/counters.ts";
import { givenEmulator, NOW } from "../_emulator.ts";
import { MINUTE, ratelimit, SECOND, use } from "./_limits.ts";

// ratelimit.limit and multiLimit against a model that stores every use with its time.

interface Item {
  readonly identifier: string;
  readonly limit: number;
  readonly duration: number;
  readonly cost: number;
}
type Step =
  | { readonly kind: "use"; readonly items: readonly Item[] }
  | {
      readonly kind: "override";
      readonly identifier: string;
      readonly limit: number;
      readonly duration: number;
    }
  | { readonly kind: "delete"; readonly identifier: string }
  | { readonly kind: "clock"; readonly by: number };

const identifier = fc.constantFrom("a", "b", "ab");
const limit = fc.nat(12);
const duration = fc.constantFrom(SECOND, 1_007, MINUTE);
const pattern = fc.constantFrom("a", "a*", "*", "*b");
const item = fc.record({
  identifier,
  limit: fc.integer({ min: 1, max: 12 }),
  duration,
  cost: fc.nat(5),
});
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("use" as const),
      items: fc.array(item, { minLength: 1, maxLength: 3 }),
    }),
  },
  fc.record({ kind: fc.constant("override" as const), identifier: pattern, limit, duration }),
  fc.record({ kind: fc.constant("delete" as const), identifier: pattern }),
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("clock" as const),
      by: fc.oneof(
        fc.nat(600),
        fc.integer({ min: -3 * SECOND, max: 3 * SECOND }),
        fc.integer({ min: -3 * MINUTE, max: 3 * MINUTE }),
      ),
    }),
  },
);

/** A use, in the window to which it was counted. */
interface Use {
  readonly identifier: string;
  readonly duration: number;
  readonly window: number;
  readonly cost: number;
}

/** Counts by reading all uses. After the clock was set back, uses count to the latest window used. */
class Model {
  #overrides: { readonly identifier: string; readonly limit: number; readonly duration: number }[] =
    [];
  #uses: readonly Use[] = [];

  set(override: {
    readonly identifier: string;
    readonly limit: number;
    readonly duration: number;
  }) {
    const index = this.#overrides.findIndex((each) => each.identifier === override.identifier);
    if (index === -1) this.#overrides.push(override);
    else this.#overrides[index] = override;
  }

  delete(of: string): void {
    this.#overrides = this.#overrides.filter((each) => each.identifier !== of);
  }

  use(items: readonly Item[], now: number) {
    let uses = this.#uses;
    const results = items.map((asked) => {
      const { limit: max, duration: length } = this.#overrideFor(asked.identifier) ?? asked;
      const same = uses.filter(
        (each) => each.identifier === asked.identifier && each.duration === length,
      );
      const window = Math.max(Math.floor(now / length), ...same.map((each) => each.window));
      const sumOf = (number: number) =>
        same.reduce((sum, each) => sum + (each.window === number ? each.cost : 0), 0);
      const end = (window + 1) * length;
      // In floating point, as the service does.
      const elapsed = Math.max(0, now - window * length) / length;
      const count = sumOf(window) + Math.trunc(sumOf(window - 1) * (1 - elapsed));
      const passed = max > 0 && count + asked.cost <= max;
      if (asked.cost > 0) {
        uses = [
          ...uses,
          { identifier: asked.identifier, duration: length, window, cost: asked.cost },
        ];
      }
      return { passed, limit: max, count, cost: asked.cost, reset: end };
    });
    const areAllPassed = results.every(({ passed }) => passed);
    if (areAllPassed) this.#uses = uses;
    return results.map(({ cost, count, limit: max, passed, reset }) => ({
      passed,
      limit: max,
      remaining: passed ? max - count - (areAllPassed ? cost : 0) : 0,
      reset,
    }));
  }

  #overrideFor(of: string) {
    const matches = (text: string) => new RegExp(`^${text.replaceAll("*", ".*")}$`).test(of);
    return (
      this.#overrides.find((each) => each.identifier === of) ??
      this.#overrides.find((each) => each.identifier.includes("*") && matches(each.identifier))
    );
  }
}

test("limits count as if each use were stored, whatever overrides and the clock do", async () => {
  const namespace = "email";
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const emulator = await givenEmulator();
      await emulator.ratelimitNamespaces.create({ name: namespace });
      const model = new Model();
      let now = NOW;
      for (const each of steps) {
        if (each.kind === "clock") emulator.clock.set((now += each.by));
        else if (each.kind === "override") {
          const { kind: _, ...override } = each;
          model.set(override);
          await ratelimit(emulator, "setOverride", { namespace, ...override });
        } else if (each.kind === "delete") {
          model.delete(each.identifier);
          await ratelimit(emulator, "deleteOverride", { namespace, identifier: each.identifier });
        } else {
          const expected = model.use(each.items, now);
          const items = each.items.map((asked) => ({ ...use, ...asked, namespace }));
          const isSingle = items.length === 1;
          const { body } = isSingle
            ? await ratelimit(emulator, "limit", items[0])
            : await ratelimit(emulator, "multiLimit", items);
          const found = isSingle ? [{ ...body.data, passed: body.data.success }] : body.data.limits;
          expect(found).toMatchObject(expected);
        }
      }
    }),
    { numRuns: 40 },
  );
});

test("none of 30,000 counters is lost while it counts, and all are dropped afterwards", () => {
  const counters = new Counters();
  /** The different numbers of uses that 30,000 calls leave. */
  const useAll = (now: number, cost: number, prefix = "one") => {
    const left = new Set<number>();
    for (let index = 0; index < 30_000; index += 1) {
      const name = `${prefix}_${index}`;
      const request = { ownerId: "rlns_one", name, limit: 10, duration: MINUTE, cost };
      for (const { remaining } of counters.take([request], now)) left.add(remaining);
    }
    return [...left];
  };

  expect(useAll(NOW, 1)).toEqual([9]);
  expect(counters.state().size).toBe(30_000);
  // The window before still counts, in full.
  expect(useAll(NOW + MINUTE, 0)).toEqual([9]);
  expect(useAll(NOW + 2 * MINUTE, 1, "two")).toEqual([9]);
  expect(useAll(NOW + 2 * MINUTE, 1, "three")).toEqual([9]);
  expect(counters.get("rlns_one", "one_0", MINUTE)).toBeUndefined();
  expect(counters.state().size).toBe(60_000);
});
