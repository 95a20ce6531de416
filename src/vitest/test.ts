import { test as base, type TestAPI } from "vitest";
import { createEmulator, type Emulator } from "../emulator/emulator.ts";
import type { EmulatorOptions } from "../emulator/options.ts";

export interface LatchkeyFixtures {
  /** What `emulator` is made with. The random seed is 1 unless given here. */
  emulatorOptions: EmulatorOptions;
  /** An emulator of this test alone. */
  emulator: Emulator;
  /** Where `emulator` is served, on a free port, for as long as the test runs. */
  url: string;
}

/**
 * Vitest's `test` with an emulator for each test that asks for one. Other options, for all tests of
 * a file or a `describe`: `test.override({ emulatorOptions: { fixtures: [...] } })`, which is
 * `test.scoped` before vitest 4.1; further fixtures: `test.extend({...})`.
 */
export const test: TestAPI<LatchkeyFixtures> = base.extend<LatchkeyFixtures>({
  emulatorOptions: {},

  async emulator({ emulatorOptions }, use) {
    const { randomSeed = 1, ...options } = emulatorOptions;
    await use(await createEmulator({ ...options, randomSeed }));
  },

  async url({ emulator }, use) {
    // Loaded when it is asked for, so that tests in a browser can have the rest.
    const { serve } = await import("../http/serve.ts");
    const server = await serve(emulator);
    await use(server.url);
    await server.close({ grace: 0 });
  },
});
