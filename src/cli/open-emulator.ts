import { createEmulator } from "../emulator/create-emulator.ts";
import { sharedOptions } from "../emulator/shared-options.ts";
import { readFixtureFiles } from "../seed/files.ts";
import type { Fixture } from "../seed/format.ts";
import type { TokenGrant } from "../seed/check.ts";
import { UsageError } from "../base/usage-error.ts";
import { lock } from "./files/lock.ts";
import { keepState, readState } from "./files/state.ts";
import { pick, type StartOptions } from "./options/read-options.ts";
import type { Report } from "./report.ts";

/**
 * Makes the emulator, with the data of its fixtures or of the file of `--state`.
 * @throws UsageError for invalid options and fixtures
 */
export async function openEmulator(options: StartOptions, report: Report) {
  const { fixtures: files = [], generate, explicitSeeding, state, tokens, watch } = options;
  const read = state === undefined ? undefined : await readState(state);
  const unlock = state === undefined ? undefined : await lock(state);
  const saved = read?.fixture;
  if (saved !== undefined && tokens !== undefined) checkNothingLost(saved, tokens);
  if (saved !== undefined && explicitSeeding.length > 0) {
    report.write(
      `--state: ${state} exists, so ${explicitSeeding.join(" and ")} is ignored; remove ${state} to start over`,
    );
  }
  const fixtures = saved || files.length === 0 ? undefined : await readFixtureFiles(files);
  const operations =
    options.operations &&
    (await (await import("./files/load-operations.ts")).loadOperations(options.operations));
  const emulator = await createEmulator({
    ...pick(options, sharedOptions),
    fixtures: saved === undefined ? fixtures : [saved],
    generate: saved === undefined ? generate : undefined,
    tokens,
    operations,
    log: report.log,
  });
  report.emulator = emulator;
  return {
    emulator,
    /** Whether the data came from the file of `--state`. */
    isLoaded: saved !== undefined,
    /** Watches the fixtures and keeps the state, as the options ask for. Returns a function that ends it. */
    async follow() {
      const stopWatching = watch
        ? (await import("./files/watch.ts")).watchFixtures(
            files,
            fixtures ?? [],
            emulator,
            report.write,
          )
        : undefined;
      const stopKeeping =
        state && read ? keepState(state, read, emulator, report.write) : undefined;
      return async () => {
        stopWatching?.();
        const isSaved = (await stopKeeping?.()) ?? true;
        unlock?.();
        return isSaved;
      };
    },
  };
}

/**
 * Refuses `--token` options without a token of the state. Only accepted tokens are saved, so the file
 * would lose the others.
 * @throws UsageError for tokens of the state that are not among the grants
 */
function checkNothingLost(saved: Fixture, grants: readonly TokenGrant[]): void {
  const granted = new Set(grants.map(({ token }) => token));
  const lost = [saved, ...(saved.workspaces ?? [])]
    .flatMap(({ tokens = [] }) => tokens)
    .filter(({ token }) => !granted.has(token));
  if (lost.length === 0) return;
  throw new UsageError(
    "--token: expected every token of the saved state, because the next save would lose the others",
  );
}
