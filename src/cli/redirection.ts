import { pluralize } from "../base/wording/pluralize.ts";
import { throwLines } from "../base/throw-lines.ts";
import { EXPECTED_ORIGIN, toOrigin, writtenOrigin, type Origin } from "../redirect/origins.ts";
import { withFlag } from "../redirect/node-options.ts";
import type { LogEntry } from "../service/logging/log.ts";
import { PRELOAD_FLAG } from "./preload-flag.ts";

/** Programs that are redirected from origins to an emulator. */
export interface Redirection {
  readonly origins: readonly string[];
  readonly hosts: readonly string[];
  /**
   * The variables that redirect a program to the emulator at `url`. What `env` says already, like other
   * NODE_OPTIONS, stays.
   */
  variables(
    url: string,
    env: Readonly<Record<string, string | undefined>>,
  ): Readonly<Record<string, string>>;
  /** What to print at the end: how many calls to each host came, and a warning for each without one. */
  report(calls: ReadonlyMap<string, number>): readonly Line[];
}

interface Line {
  readonly kind: Extract<LogEntry["kind"], "notice" | "warning">;
  readonly message: string;
}

/**
 * Prepares what `--as` asks for.
 * @throws UsageError for texts that are no origin of a service, and for repeated origins
 */
export function redirect(texts: readonly string[]): Redirection {
  const read = readOrigins(texts);
  const origins = read.map(({ text }) => text);
  const hosts = [...new Set(read.map(({ host }) => host))];
  return {
    origins,
    hosts,
    variables: (url, env) => ({
      LATCHKEY_URL: url,
      LATCHKEY_AS: origins.join(","),
      NODE_OPTIONS: withFlag(env["NODE_OPTIONS"], PRELOAD_FLAG),
    }),
    report: (calls) => hosts.map((host) => reportLine(host, calls.get(host) ?? 0)),
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

function reportLine(host: string, count: number): Line {
  if (count === 0) return { kind: "warning", message: `--as: no call to ${host} ${NONE}` };
  const were = count === 1 ? "was" : "were";
  return {
    kind: "notice",
    message: `${pluralize(count, "call")} to ${host} ${were} redirected in Node`,
  };
}

const NONE =
  "was redirected: the program called no such host, or it is not a Node program; see docs/unchanged-programs.md";
