import { extname } from "node:path";
import * as z from "zod/mini";
import { UsageError } from "../base/usage-error.ts";
import { type RunningGateway, serveGateway } from "../doors/http/serve-gateway.ts";
import type { Emulator } from "../emulator/emulator.ts";
import * as gateway from "../gateway/gateway.ts";
import { asSpelt, readSpelt, settle } from "../gateway/policies.ts";
import { isUpstream } from "../gateway/upstream.ts";
import { choice, filledText, integer, listOf, objectOf } from "../schema/fields.ts";
import { type Problem, problemLine } from "../schema/problems.ts";
import { formatOf, parseDataFile, readText } from "../seed/files.ts";
import { accessTokenInit } from "../state/records/tokens.ts";

/** The file of the service's local gateway, in camel case. */
function fileSchema() {
  const upstream = filledText().check(
    z.refine((text) => /:\d+$/.test(text) && isUpstream(`http://${text}`), {
      error: "expected a host and a port, like localhost:3000",
    }),
  );
  const route = {
    ...gateway.routeMembers(),
    upstream,
    openapiSpec: z.optional(filledText()),
    // The program is always called with HTTP/1.1.
    protocol: z.optional(choice(["http1"])),
  };
  const localDev = {
    httpPort: z.optional(integer({ min: 1, max: 65_535 })),
    apiUrl: z.optional(filledText()),
    rootKey: accessTokenInit().shape.token,
    routes: listOf(objectOf(route), "routes", { min: 1 }),
  };
  return objectOf({ "local-dev": objectOf(localDev) });
}

/** What `--gateway` asks for, read and checked before anything listens. */
export interface GatewayPlan {
  /** The port of the file. */
  readonly port: number | undefined;
  /** What of the file has no effect, a line each. */
  readonly notes: readonly string[];
  start(
    emulator: Emulator,
    address: { readonly port: number; readonly host: string | undefined },
  ): Promise<RunningGateway>;
}

/**
 * Reads a URL of a program, or a file.
 * @throws UsageError with a line for each mistake
 */
export async function readGateway(
  given: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<GatewayPlan> {
  if (isUpstream(given)) return toPlan({ upstream: given, policies: [{ keyauth: {} }] });
  const isToml = extname(given).toLowerCase() === ".toml";
  if (!isToml && formatOf(given) === undefined) {
    const files = "the name of a file that ends in .toml, .json, .yaml or .yml";
    throw new UsageError(`--gateway: expected a URL like http://localhost:3000, or ${files}`);
  }
  const text = withVariables(given, await readText(given), env);
  const input = isToml ? await parseToml(given, text) : await parseDataFile(given, text);
  const notes: Problem[] = [];
  const routes: gateway.RouteInit[] = [];
  const { "local-dev": read } = readSpelt(fileSchema(), input, given, (value) => {
    const path = ["local-dev", "routes"];
    const problems = value["local-dev"].routes.flatMap(
      ({ hostname, policies = [], upstream }, index) => {
        const settled = settle(policies, [...path, index, "policies"], true);
        notes.push(...settled.notes);
        routes.push({ hostname, upstream: `http://${upstream}`, policies: settled.policies });
        return settled.problems;
      },
    );
    return [...problems, ...gateway.hostProblems(routes, path)];
  });
  const { apiUrl, httpPort, rootKey } = read;
  if (
    apiUrl?.includes("${") === false &&
    !/^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\]|latchkey)(?=[:/]|$)/.test(apiUrl)
  ) {
    const expected = "it is not called, because this gateway verifies keys with latchkey";
    notes.push({ path: ["local-dev", "apiUrl"], expected });
  }
  const lines = notes.map((note) => problemLine(given, asSpelt(note, input)));
  return toPlan({ routes, token: rootKey }, httpPort, lines);
}

function toPlan(
  options: gateway.GatewayOptions,
  port?: number,
  notes: readonly string[] = [],
): GatewayPlan {
  return {
    port,
    notes,
    start: (emulator, address) => serveGateway(gateway.createGateway(emulator, options), address),
  };
}

/**
 * A file with the values of its variables, each written `${NAME}`.
 * @throws UsageError for each that is not set, unless it stands in a comment, or only `api_url` needs it
 */
function withVariables(
  file: string,
  text: string,
  env: Readonly<Record<string, string | undefined>>,
): string {
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
  if (problems.length > 0) throw new UsageError(problems);
  return lines.join("\n");
}

async function parseToml(file: string, text: string): Promise<unknown> {
  // Loaded on demand, because most starts read no such file.
  const { parse, TomlError } = await import("smol-toml");
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    // Without the message, which quotes the text: it may hold secrets.
    const place = `at line ${error.line}, column ${error.column}`;
    throw new UsageError(`${file}: not well-formed TOML ${place}`);
  }
}
