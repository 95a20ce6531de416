import { serve } from "../doors/http/serve.ts";
import { createEmulator } from "../emulator/create-emulator.ts";
import { type Emulator } from "../emulator/emulator.ts";
import type { EmulatorOptions } from "../emulator/options.ts";

/** What the program gets in each run. */
export interface SweepWorld {
  /** The base URL of the emulator of this run. */
  readonly url: string;
  /** The emulator of this run. */
  readonly emulator: Emulator;
}

/** A fresh emulator that is served at a URL. */
export async function openWorld(options: EmulatorOptions) {
  const emulator = await createEmulator({ randomSeed: 1, log: () => {}, ...options });
  const server = await serve(emulator);
  return { emulator, url: server.url, close: () => server.close({ grace: 0 }) };
}
