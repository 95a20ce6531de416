import { pluralize } from "../base/wording/pluralize.ts";
import { throwLines } from "../base/throw-lines.ts";
import type { Emulator } from "../emulator/emulator.ts";
import { readEarlierProxies } from "../proxy/earlier-proxies.ts";
import { EXPECTED_ORIGIN, toOrigin, writtenOrigin, type Origin } from "../redirect/origins.ts";
import { withFlag } from "../redirect/node-options.ts";
import type { LogEntry } from "../service/logging/log.ts";
import { PRELOAD_FLAG } from "./preload-flag.ts";

/** Programs that are redirected from origins to an emulator. */
export interface Redirection {
  readonly origins: readonly string[];
  readonly hosts: readonly string[];
  /** Starts the proxy by which programs in other languages than Node's are redirected. */
  start(emulator: Emulator, url: string, warn: (problem: string) => void): Promise<Redirected>;
}

/** A running redirection. */
interface Redirected {
  /**
   * The variables that redirect a program to the emulator. What the environment says already, like other
   * NODE_OPTIONS, stays.
   */
  readonly variables: Readonly<Record<string, string>>;
  /**
   * What to print at the end: how many calls to each host came by which way, and a warning for each host
   * without one. The argument counts the calls that came from Node programs.
   */
  report(inNode: ReadonlyMap<string, number>): readonly Line[];
  /** Closes the proxy, after at most `grace` milliseconds. */
  close(options?: { readonly grace?: number }): Promise<void>;
}

interface Line {
  readonly kind: Extract<LogEntry["kind"], "notice" | "warning">;
  readonly message: string;
}

/**
 * Prepares what `--as` asks for.
 * @throws UsageError for texts that are no origin of a service, for repeated origins, and for variables
 *   that name a proxy of another kind than HTTP
 */
export function redirect(
  texts: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Redirection {
  const read = readOrigins(texts);
  const origins = read.map(({ text }) => text);
  const hosts = [...new Set(read.map(({ host }) => host))];
  const earlier = readEarlierProxies(env);
  return {
    origins,
    hosts,
    async start(emulator, url, warn) {
      const { redirectPrograms } = await import("../proxy/redirect-programs.ts");
      const programs = await redirectPrograms(emulator, { origins: read, earlier, env, warn });
      return {
        variables: {
          LATCHKEY_URL: url,
          LATCHKEY_AS: origins.join(","),
          NODE_OPTIONS: withFlag(env["NODE_OPTIONS"], PRELOAD_FLAG),
          ...programs.variables,
        },
        report: (inNode) => {
          return hosts.map((host) =>
            reportLine(host, inNode.get(host) ?? 0, programs.calls.get(host) ?? 0),
          );
        },
        close: programs.close,
      };
    },
  };
}

function readOrigins(texts: readonly string[]): Origin[] {
  const origins = texts.map(toOrigin);
  const lines = origins.flatMap((origin, index) => {
    const got = writtenOrigin(texts[index] ?? "");
    if (origin === undefined) return [`--as: ${EXPECTED_ORIGIN}, got ${got}`];
    const first = origins.findIndex((other) => other?.text === origin.text);
    return first < index ? [`--as: expected each origin once, got ${origin.text} again`] : [];
  });
  throwLines(lines);
  return origins.filter((origin) => origin !== undefined);
}

function reportLine(host: string, inNode: number, byProxy: number): Line {
  const count = inNode + byProxy;
  if (count === 0) return { kind: "warning", message: `--as: no call to ${host} ${NONE}` };
  const were = count === 1 ? "was" : "were";
  const ways =
    byProxy === 0
      ? " in Node"
      : inNode === 0
        ? " by the proxy"
        : `, ${inNode} in Node and ${byProxy} by the proxy`;
  const message = `${pluralize(count, "call")} to ${host} ${were} redirected${ways}`;
  return { kind: "notice", message };
}

const NONE =
  "was redirected: the program called no such host, or it ignores the variables for a proxy, like HTTPS_PROXY; see docs/unchanged-programs.md";
