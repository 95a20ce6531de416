import type { TestAPI } from "vitest";
import { type LatchkeyFixtures, test as base } from "./doors/vitest.ts";
import type { SweepOptions, SweptProgram } from "./sweep/sweep.ts";

export type { LatchkeyFixtures };

interface SweepTest {
  /** A test that sweeps its function with `sweep` of `latchkey/sweep` and the `emulatorOptions` of the test. */
  (name: string, program: SweptProgram): void;
  /** The same with options, which override the `emulatorOptions`. */
  (name: string, options: SweepOptions, program: SweptProgram): void;
}

const sweepTest: SweepTest = (
  name: string,
  first: SweepOptions | SweptProgram,
  second?: SweptProgram,
) => {
  const [options, program] =
    typeof first === "function" ? [{}, first] : [first, second as SweptProgram];
  // Each run of the program has a time limit, so the test needs none.
  base(name, { timeout: 0 }, async ({ emulatorOptions }) => {
    // Loaded on demand, because it needs Node.
    const { sweep } = await import("./sweep/sweep.ts");
    await sweep(program, { ...emulatorOptions, ...options });
  });
};

/**
 * Vitest's `test` with an emulator as a fixture, made for each test that uses it. Set options for all
 * tests of a file or a `describe` with `test.override({ emulatorOptions: { fixtures: [...] } })`
 * (`test.scoped` before vitest 4.1). Add your own vitest fixtures with `test.extend({...})`.
 */
export const test: TestAPI<LatchkeyFixtures> & { readonly sweep: SweepTest } = Object.assign(base, {
  sweep: sweepTest,
});
