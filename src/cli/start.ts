import { createEmulator } from "../emulator/emulator.ts";
import { serve } from "../http/serve.ts";
import type { Fixture } from "../seeding/fixtures/format.ts";
import type { TokenGrant } from "../seeding/fixtures/tokens.ts";
import { EXPECTED_TOKEN, isToken } from "../store/records.ts";
import { quirkNames, type Quirk } from "../contract/quirks.ts";
import { unknownName } from "../schema/unknown-name.ts";
import { EXPECTED_HOSTS, isHostName } from "../http/control-guard.ts";
import { UsageError } from "../usage-error.ts";
import { startupInfo, type StartupInfo, type StateNote } from "./banner.ts";
import type { StartOptions } from "./options/config.ts";
import { createLineWriter } from "./line-writer.ts";
import { createLog, type LogStyle } from "./log-lines.ts";
import { openPage } from "./open-page.ts";
import { createProgress } from "./progress.ts";
import { readFixtures } from "./files/read-fixtures.ts";
import { keepState, readState } from "./files/state.ts";

export interface Started {
  readonly info: StartupInfo;
  /**
   * Finishes what is in flight, `grace` milliseconds at most, and saves the state. Resolves to the
   * exit code.
   */
  stop(options?: { readonly grace?: number }): Promise<number>;
}

/**
 * Seeds, then listens, and opens the page where the options ask for it.
 * @throws UsageError for options and fixtures, ListenError for the address
 */
export async function start(
  options: StartOptions,
  defaults: { readonly port: number; readonly log: LogStyle },
): Promise<Started> {
  checkTogether(options);
  const style = options.log ?? defaults.log;
  const writeLine = createLineWriter();
  const log = createLog(style, writeLine);
  const tell = (message: string, kind: "notice" | "warning" = "warning") => {
    // What a person would lose is told in silence too.
    if (style !== "silent") log({ kind, message });
    else if (kind === "warning") writeLine(`latchkey: ${message}`);
  };
  const { fixture: files = [], generate, named, state, unused, watch } = options;
  for (const line of unused) tell(line);
  const read = state === undefined ? undefined : await readState(state);
  const saved = read?.fixture;
  const grants = options.token && toGrants(options.token);
  if (saved !== undefined && grants !== undefined) checkNothingLost(saved, grants);
  if (saved !== undefined && named.length > 0) {
    tell(
      `--state: ${state} is there, so ${named.join(" and ")} is left aside; remove ${state} to start anew`,
    );
  }
  const fixtures = saved || files.length === 0 ? undefined : await readFixtures(files);
  const progress = createProgress();
  const emulator = await createEmulator({
    ...(saved === undefined ? { fixtures, generate } : { fixtures: [saved] }),
    randomSeed: options.randomSeed,
    now: options.now,
    tokens: grants,
    controlToken: options.controlToken,
    strict: options.strict,
    isolate: options.isolate,
    quirks: options.quirk && toQuirks(options.quirk),
    latency: options.latency,
    onProgress: progress.tell,
    log,
  });
  progress.end();
  const { allowHost: allowHosts, control, host, port = defaults.port, ui } = options;
  const server = await serve(emulator, { allowHosts, control, host, port, ui });
  const watcher = watch
    ? (await import("./files/watch.ts")).watchFixtures(files, fixtures ?? [], emulator, tell)
    : undefined;
  const keeper = state && read ? keepState(state, read, emulator, tell) : undefined;
  const info = startupInfo(emulator, server, {
    isControlTokenGiven: options.controlToken !== undefined,
    state: state === undefined ? undefined : toStateNote(state, saved !== undefined, options),
  });
  if (options.open) void openPage(info.page);
  return {
    info,
    async stop(closing) {
      watcher?.stop();
      await server.close(closing);
      const isSaved = (await keeper?.stop()) ?? true;
      return isSaved ? 0 : 1;
    },
  };
}

function toStateNote(file: string, isLoaded: boolean, options: StartOptions): StateNote {
  const leftAside = [
    ...(options.fixture === undefined ? [] : ["--fixture"]),
    ...(options.generate === undefined ? [] : ["--generate"]),
  ];
  return { file, isLoaded, leftAside };
}

/** @throws UsageError for options that contradict each other */
function checkTogether(options: StartOptions): void {
  const {
    allowHost = [],
    control,
    controlToken,
    fixture,
    isolate,
    open,
    state,
    ui,
    watch,
  } = options;
  if (!allowHost.every(isHostName)) throw new UsageError(`--allow-host: ${EXPECTED_HOSTS}`);
  if (controlToken !== undefined && !isToken(controlToken)) {
    throw new UsageError(`--control-token: ${EXPECTED_TOKEN}`);
  }
  if (control === false && allowHost.length > 0) {
    throw new UsageError("--allow-host: expected no --no-control beside it, whose hosts it names");
  }
  if (open && (control === false || ui === false)) {
    const flag = control === false ? "--no-control" : "--no-ui";
    throw new UsageError(`--open: expected no ${flag} beside it, which leaves out what it opens`);
  }
  if (isolate && state !== undefined) {
    throw new UsageError(
      "--isolate: expected no --state beside it, because what tokens have for themselves is not saved",
    );
  }
  if (!watch) return;
  if (fixture === undefined) throw new UsageError("--watch: expected a --fixture beside it");
  if (state === undefined) return;
  throw new UsageError(
    "--watch: expected no --state beside it, because a fixture that changes would overwrite it",
  );
}

/**
 * A state is saved as it is served, so tokens that may not come would be gone from it.
 * @throws UsageError for tokens of a state that are not among these
 */
function checkNothingLost(saved: Fixture, grants: readonly TokenGrant[]): void {
  const granted = new Set(grants.map(({ token }) => token));
  const lost = [saved, ...(saved.workspaces ?? [])]
    .flatMap(({ tokens = [] }) => tokens)
    .filter(({ token }) => !granted.has(token));
  if (lost.length === 0) return;
  throw new UsageError(
    "--token: expected every token of the state, because one that may not come would be lost from it",
  );
}

/** @throws UsageError for names that are no quirk */
function toQuirks(texts: readonly string[]): readonly (Quirk | "all")[] {
  const known = [...quirkNames, "all"] as const;
  const names = texts.flatMap((text) => text.split(",")).map((name) => name.trim());
  const lines = names
    .filter((name) => !known.some((each) => each === name))
    .map((name) => `--quirk: ${JSON.stringify(name)}: ${unknownName("quirk", name, known)}`);
  if (lines.length > 0) throw new UsageError(lines);
  return names as (Quirk | "all")[];
}

/** @throws UsageError for tokens that no header could carry, and for one that is named twice */
function toGrants(texts: readonly string[]): TokenGrant[] {
  const grants = texts.map(toGrant);
  const tokens = grants.map(({ token }) => token);
  const lines = tokens.flatMap((token, index) => {
    if (!isToken(token)) return [`--token: ${EXPECTED_TOKEN}`];
    return tokens.indexOf(token) < index ? ["--token: expected each token once"] : [];
  });
  if (lines.length > 0) throw new UsageError(lines);
  return grants;
}

/**
 * `TOKEN` or `TOKEN=permission,…`. A token may itself end in `=`, as base64 does: permissions
 * begin behind the first one that something else follows.
 */
export function toGrant(text: string): TokenGrant {
  const [, token, permissions] = /^(.+?)=([^=].*)$/.exec(text) ?? [];
  if (token === undefined || permissions === undefined) return { token: text };
  return { token, permissions: permissions.split(",").map((permission) => permission.trim()) };
}
