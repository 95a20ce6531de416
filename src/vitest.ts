import type { TestAPI } from "vitest";
import { type LatchkeyFixtures, test as base } from "./doors/vitest.ts";
import type { SweepOptions, SweepWorld } from "./sweep/sweep.ts";

export type { LatchkeyFixtures };

/** A test that sweeps its function: `sweep` of `latchkey/sweep`, with the `emulatorOptions` of the test. */
function sweepTest(
  name: string,
  program: (world: SweepWorld) => unknown,
  options: SweepOptions = {},
): void {
  // Each case is bounded, so the test need not be.
  base(name, { timeout: 0 }, async ({ emulatorOptions }) => {
    // Loaded on demand, because it needs Node.
    const { sweep } = await import("./sweep/sweep.ts");
    await sweep(program, { ...emulatorOptions, ...options });
  });
}

/**
 * Vitest's `test` with an emulator as a fixture, made for each test that uses it. Set options for all
 * tests of a file or a `describe` with `test.override({ emulatorOptions: { fixtures: [...] } })`
 * (`test.scoped` before vitest 4.1). Add your own vitest fixtures with `test.extend({...})`.
 */
export const test: TestAPI<LatchkeyFixtures> & { readonly sweep: typeof sweepTest } = Object.assign(
  base,
  { sweep: sweepTest },
);
