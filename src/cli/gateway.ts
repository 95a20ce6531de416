import { extname } from "node:path";
import * as z from "zod/mini";
import { throwLines, UsageError } from "../base/usage-error.ts";
import { serveGateway } from "../doors/http/serve-gateway.ts";
import type { Emulator } from "../emulator/emulator.ts";
import { Gateway } from "../gateway/gateway.ts";
import * as options from "../gateway/options.ts";
import { isUpstream } from "../gateway/upstream.ts";
import * as f from "../schema/fields.ts";
import { formatOf, parseDataFile, readText } from "../seed/files.ts";
import { accessTokenInit } from "../state/records/tokens.ts";

/** The schema of the file of the service's local gateway, in camel case. */
function fileSchema() {
  const error = "expected a host and a port, like localhost:3000";
  const isAddress = (text: string) => /:\d+$/.test(text) && isUpstream(`http://${text}`);
  const route = {
    ...options.routeMembers(),
    upstream: f.filledText().check(z.refine(isAddress, { error })),
    openapiSpec: z.optional(f.filledText()),
    // This gateway only speaks HTTP/1.1.
    protocol: z.optional(f.choice(["http1"])),
  };
  const localDev = {
    httpPort: z.optional(f.integer({ min: 1, max: 65_535 })),
    apiUrl: z.optional(f.filledText()),
    rootKey: accessTokenInit().shape.token,
    routes: f.listOf(f.objectOf(route), "routes", { min: 1 }),
  };
  return f.objectOf({ "local-dev": f.objectOf(localDev) });
}

/** Hosts of an `api_url` that is likely latchkey itself. */
const OWN_HOSTS = ["localhost", "127.0.0.1", "[::1]", "latchkey"];

/**
 * Reads the value of `--gateway`, before anything listens: the URL of a program, or a file. `warnings`
 * say what in the file has no effect.
 * @throws UsageError with a line for each mistake
 */
export async function readGateway(given: string, env: NodeJS.ProcessEnv) {
  const { port, routes, token, warnings } = isUpstream(given)
    ? { warnings: [], routes: [{ upstream: given, policies: [{ keyauth: {} }] }] }
    : await readFile(given, env);
  const start = (emulator: Emulator, address: Parameters<typeof serveGateway>[1]) => {
    for (const line of warningsAtStart(emulator, routes, token))
      emulator.log({ kind: "warning", message: `${given}: ${line}` });
    return serveGateway(new Gateway(emulator, routes, token), address);
  };
  return { warnings, port, start };
}

/** Warns of policies that no key can pass, judged by the records of the emulator at the start. */
function warningsAtStart(
  { isIsolated, workspaces }: Emulator,
  routes: readonly options.Program[],
  token: string | undefined,
): string[] {
  const all = workspaces.all();
  const keyspaces = all.flatMap(({ apis }) => apis.all().map(({ keyspaceId }) => keyspaceId));
  const tokens = all.flatMap((workspace) => workspace.tokens.all().map((each) => each.token));
  const isUnlisted = token !== undefined && tokens.length > 0 && !tokens.includes(token);
  const lines = routes.flatMap(({ policies = [] }) =>
    policies.flatMap(({ enabled, id, keyauth }) => {
      const { keySpaceIds } = (enabled && keyauth) || {};
      if (keySpaceIds?.length === 0)
        return `policy ${id} has no key_space_ids, so it allows no key`;
      const unknown = keySpaceIds?.filter((each) => !keyspaces.includes(each)) ?? [];
      return unknown.map((each) => `policy ${id}: no API has the keyspace ${each}`);
    }),
  );
  if (!isUnlisted || isIsolated) return lines;
  return ["root_key is not a listed token, so no key can be verified", ...lines];
}

async function readFile(file: string, env: NodeJS.ProcessEnv) {
  const isToml = extname(file).toLowerCase() === ".toml";
  if (!isToml && formatOf(file) === undefined) {
    const files = "the name of a file that ends in .toml, .json, .yaml or .yml";
    throw new UsageError(`--gateway: expected a URL like http://localhost:3000, or ${files}`);
  }
  const text = expandVariables(file, await readText(file), env);
  const input = isToml ? await parseToml(file, text) : await parseDataFile(file, text);
  const pathOf = (index: number) => ["local-dev", "routes", index];
  const { value, lineOf } = options.readEitherSpelling(
    fileSchema(),
    input,
    file,
    (read) => options.problemsOf(read["local-dev"].routes, pathOf, true),
    (name) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  );
  const { apiUrl, httpPort: port, rootKey: token, routes } = value["local-dev"];
  const warnings = options.warningsFor(routes, pathOf, true);
  // With a variable that is not set, it cannot be parsed.
  if (apiUrl && URL.canParse(apiUrl) && !OWN_HOSTS.includes(new URL(apiUrl).hostname)) {
    const expected = "it is not called, because this gateway verifies keys with latchkey";
    warnings.push({ path: ["local-dev", "apiUrl"], expected });
  }
  const withDefaults = routes.map(({ hostname, policies = [], upstream }) => ({
    hostname,
    upstream: `http://${upstream}`,
    // Unlike in code, a policy is disabled by default, and `keyauth` allows no keyspace by default.
    policies: policies.map(({ enabled = false, keyauth, ...policy }) => ({
      ...policy,
      enabled,
      ...(keyauth && { keyauth: { keySpaceIds: [], ...keyauth } }),
    })),
  }));
  return { routes: withDefaults, token, port, warnings: warnings.map(lineOf) };
}

/**
 * Replaces each `${NAME}` in a file by the value of the variable.
 * @throws UsageError with a line for each variable that is not set, except in comments and in `api_url`
 */
function expandVariables(file: string, text: string, env: NodeJS.ProcessEnv): string {
  const problems: string[] = [];
  const lines = text.split("\n").map((line, index) => {
    if (/^\s*#/.test(line)) return line;
    return line.replaceAll(/\$\{(\w+)\}/g, (whole, name: string) => {
      const value = env[name];
      if (value === undefined && !/^\s*"?api_?url\b/i.test(line))
        problems.push(`${file}: line ${index + 1}: expected the variable ${name} to be set`);
      return value ?? whole;
    });
  });
  throwLines(problems);
  return lines.join("\n");
}

async function parseToml(file: string, text: string): Promise<unknown> {
  // Loaded on demand, because most starts need no TOML.
  const { parse, TomlError } = await import("smol-toml");
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    // Without the message of the parser: it quotes the file, which may have secrets.
    const place = `at line ${error.line}, column ${error.column}`;
    throw new UsageError(`${file}: not well-formed TOML ${place}`);
  }
}
