import { createEmulator, type Emulator } from "../emulator/emulator.ts";
import { serve, type RunningServer } from "../http/serve.ts";
import type { TokenGrant } from "../seeding/fixtures/tokens.ts";
import { EXPECTED_TOKEN, isToken } from "../store/records.ts";
import { UsageError } from "../usage-error.ts";
import { createLog, type LogStyle } from "./log-lines.ts";
import type { ServeOptions } from "./options.ts";
import { readFixtures } from "./read-fixtures.ts";

export interface Started {
  readonly emulator: Emulator;
  readonly server: RunningServer;
}

/**
 * Seeds, then listens.
 * @throws UsageError for options and fixtures, ListenError for the address
 */
export async function start(
  options: ServeOptions,
  defaults: { readonly port: number; readonly log: LogStyle },
): Promise<Started> {
  const style = (options.log ?? defaults.log) as LogStyle;
  const fixtures = options.fixture && (await readFixtures(options.fixture));
  const emulator = await createEmulator({
    fixtures,
    randomSeed: options.randomSeed,
    now: options.now,
    tokens: options.token && toGrants(options.token),
    strict: options.strict,
    log: createLog(style, (line) => process.stderr.write(`${line}\n`)),
  });
  const { host, port = defaults.port } = options;
  return { emulator, server: await serve(emulator, { host, port }) };
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
