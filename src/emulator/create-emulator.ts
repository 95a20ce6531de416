import { controlTokenOf } from "../control/control-access.ts";
import { snapshotIn } from "../seed/part.ts";
import { createConsoleLog, guardLog } from "../service/log.ts";
import { CacheBudget } from "../state/keys/key-pages.ts";
import { NeededPermissions } from "../world/journal/needed-permissions.ts";
import type { WorldSettings } from "../world/settings.ts";
import { WorldPool } from "../world/world-pool.ts";
import { World } from "../world/world.ts";
import { Emulator } from "./emulator.ts";
import { type EmulatorOptions, resolveOptions } from "./options.ts";

/**
 * Creates an emulator and seeds it. Emulators share no state, so you can have several in one process.
 * @throws UsageError for invalid options and fixtures
 */
export async function createEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const { clock, fixtures, operations, quirks } = resolveOptions(options);
  // Not `crypto`, which Node loads slowly. The seed is no secret.
  const random = Math.floor(Math.random() * 2 ** 32);
  const seed = options.randomSeed ?? snapshotIn(fixtures)?.randomSeed ?? random;
  const { isolate = false, latency, strict = false } = options;
  const { log = createConsoleLog() } = options;
  const controlToken = controlTokenOf(fixtures, options);
  const givenTokens = new Set(options.tokens?.map(({ token }) => token));
  const settings = {
    clock,
    controlToken,
    isListed: (token) => main.initial.lists(token) || givenTokens.has(token),
    quirks,
    cacheBudget: new CacheBudget(),
    seed,
    randomSeed: options.randomSeed,
    contracts: operations.map(({ contract }) => contract),
    faults: latency === undefined ? [] : [{ latency }],
    acceptsAnyToken: !isolate,
    ignoredRules: new Set(options.ignoreFindings),
    recordedHeaders: (options.recordHeaders ?? []).map((name) => name.toLowerCase()),
    needs: new NeededPermissions(),
    warn: (message) => log({ kind: "warning", message }),
    // Loaded on demand, because faker is large.
    loadGenerate: async () => {
      const { generate } = await import("../seed/generate/generate.ts");
      return (startedAt) => (workspace, requests) => generate(workspace, requests, startedAt);
    },
  } satisfies WorldSettings;
  const main = await World.start(fixtures, settings);
  const worlds = new WorldPool(main, isolate ? { grants: options.tokens } : undefined);
  return new Emulator(options, {
    worlds,
    operations,
    quirks,
    strict,
    log: guardLog(log, main.mask),
  });
}
