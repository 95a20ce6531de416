import { createEmulator } from "../emulator/emulator.ts";
import { serve } from "../http/serve.ts";
import type { TokenGrant } from "../seeding/fixtures/tokens.ts";
import { EXPECTED_TOKEN, isToken } from "../store/records.ts";
import { UsageError } from "../usage-error.ts";
import { introduce } from "./banner.ts";
import { gatherOptions } from "./config.ts";
import { createLog } from "./log-lines.ts";
import { DEFAULT_PORT } from "./options.ts";
import { readFixtures } from "./read-fixtures.ts";

/**
 * Seeds, then listens, and runs until a signal ends it.
 * @throws UsageError for options and fixtures, ListenError for the address
 */
export async function runServe(flags: Readonly<Record<string, unknown>>): Promise<number> {
  const options = await gatherOptions(flags, process.env);
  const style = (options.log ?? "text") as "silent" | "text" | "json";
  const fixtures = options.fixture && (await readFixtures(options.fixture));
  const emulator = await createEmulator({
    fixtures,
    randomSeed: options.randomSeed,
    now: options.now,
    tokens: options.token && toGrants(options.token),
    strict: options.strict,
    log: createLog(style, (line) => process.stderr.write(`${line}\n`)),
  });
  const { host, port = DEFAULT_PORT } = options;
  const server = await serve(emulator, { host, port });
  const stopped = untilSignal();

  const { ready, banner } = introduce(emulator, server);
  process.stdout.write(`${options.json ? JSON.stringify(ready) : banner}\n`);
  await stopped;
  await server.close();
  return 0;
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

/** Resolves at the first signal; a second one ends the process at once. */
function untilSignal(): Promise<void> {
  return new Promise((resolve) => {
    let isStopping = false;
    for (const [signal, code] of [
      ["SIGINT", 130],
      ["SIGTERM", 143],
    ] as const) {
      process.on(signal, () => {
        if (isStopping) process.exit(code);
        isStopping = true;
        resolve();
      });
    }
  });
}
