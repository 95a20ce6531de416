import { createEmulator, type Emulator } from "../emulator/emulator.ts";
import { serve, type RunningServer } from "../http/serve.ts";
import type { TokenGrant } from "../seeding/fixtures/tokens.ts";
import { EXPECTED_TOKEN, isToken } from "../store/records.ts";
import { UsageError } from "../usage-error.ts";
import { createLog, type LogStyle } from "./log-lines.ts";
import type { ServeOptions } from "./options.ts";
import { createProgress } from "./progress.ts";
import { readFixtures } from "./read-fixtures.ts";
import { keepState, readState } from "./state.ts";
import { watchFixtures } from "./watch.ts";

export interface Started {
  readonly emulator: Emulator;
  readonly server: RunningServer;
  /**
   * Finishes what is in flight, `grace` milliseconds at most, and saves the state. Resolves to the
   * exit code.
   */
  stop(options?: { readonly grace?: number }): Promise<number>;
}

/**
 * Seeds, then listens.
 * @throws UsageError for options and fixtures, ListenError for the address
 */
export async function start(
  options: ServeOptions,
  defaults: { readonly port: number; readonly log: LogStyle },
): Promise<Started> {
  checkTogether(options);
  const style = (options.log ?? defaults.log) as LogStyle;
  const log = createLog(style, writeLine);
  const tell = (message: string) => {
    // What a person would lose is told in silence too.
    if (style === "silent") writeLine(`latchkey: ${message}`);
    else log({ kind: "warning", message });
  };
  const saved = options.state === undefined ? undefined : await readState(options.state);
  const progress = createProgress();
  const emulator = await createEmulator({
    ...(saved === undefined ? await seedOf(options) : { fixtures: [saved] }),
    randomSeed: options.randomSeed,
    now: options.now,
    tokens: options.token && toGrants(options.token),
    strict: options.strict,
    onProgress: progress.tell,
    log,
  });
  progress.end();
  const { host, port = defaults.port } = options;
  const server = await serve(emulator, { host, port });
  const { fixture = [], state, watch } = options;
  const watcher = watch ? watchFixtures(fixture, emulator, tell) : undefined;
  const keeper = state === undefined ? undefined : keepState(state, emulator, tell);
  return {
    emulator,
    server,
    async stop(closing) {
      watcher?.stop();
      await server.close(closing);
      const isSaved = (await keeper?.stop()) ?? true;
      return isSaved ? 0 : 1;
    },
  };
}

function writeLine(line: string): void {
  process.stderr.write(`${line}\n`);
}

async function seedOf({ fixture, generate: count }: ServeOptions) {
  return {
    fixtures: fixture && (await readFixtures(fixture)),
    generate: count === undefined ? undefined : { count },
  };
}

/** @throws UsageError for options that contradict each other */
function checkTogether({ fixture, state, watch }: ServeOptions): void {
  if (!watch) return;
  if (fixture === undefined) throw new UsageError("--watch: expected a --fixture beside it");
  if (state === undefined) return;
  throw new UsageError(
    "--watch: expected no --state beside it, because a fixture that changes would overwrite it",
  );
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
