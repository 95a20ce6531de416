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

/** A fresh emulator that is served at one URL, or at several. */
export async function openWorld(options: EmulatorOptions, count = 1) {
  const emulator = await createEmulator({ randomSeed: 1, log: () => {}, ...options });
  const servers = await Promise.all(Array.from({ length: count }, () => serve(emulator)));
  const close = async () => {
    await Promise.all(servers.map((server) => server.close({ grace: 0 })));
  };
  return { emulator, urls: servers.map(({ url }) => url), close };
}
