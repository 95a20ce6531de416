import { describe, expect, test } from "vitest";
import { pairs, type Program, right } from "./_programs.ts";
import { tableOf, together, verdictsOf } from "./_sweeps.ts";

/** One fault before the call takes effect, and one after it. */
const faults = ["500", "lost-after"] as const;

describe.for(Object.entries(pairs))(
  "a program that %s",
  ([, { atomic = false, cases, right: counterpart, verdict, wrong }]) => {
    const expected = (who: string) => new RegExp(`^${cases.replaceAll("WHO", who)}$`);
    const isFound = (found: Record<string, string>, who: string) => {
      expect(Object.keys(found)).not.toEqual([]);
      for (const name of Object.keys(found)) expect(name).toMatch(expected(who));
      expect(new Set(Object.values(found))).toEqual(new Set([verdict]));
    };

    test("is reported with the right call, and its correct counterpart is not", async () => {
      const only = await verdictsOf((world) => wrong(world, "user_1"), { faults, atomic });
      const none = await tableOf((world) => counterpart(world, "user_1"), { faults, atomic });

      isFound(only, "user_1");
      expect(none).toMatch(/: 0 wrong/);
    });

    // With `atomic`, a failing test is blamed for records of other tests.
    test.skipIf(atomic)("is reported while its correct counterpart runs in parallel", async () => {
      const both: Program = (world) =>
        together(wrong(world, "user_1"), counterpart(world, "user_2"));

      isFound(await verdictsOf(both, { faults }), "user_1");
    });
  },
);

describe("a sweep finds nothing in a program that", () => {
  test.each(Object.entries(right))("%s", async (_, program) => {
    expect(await tableOf(program, { faults })).toMatch(/: 0 wrong/);
  });
});
