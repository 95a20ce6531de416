import type { Latency } from "../contract/fault.ts";

/**
 * Every option of the command line, once: the flags, environment variables, configuration members
 * and help texts are made of this table.
 */
interface OptionBase {
  readonly describe: string;
  /** What holds where it is not set, for a person to read. */
  readonly default?: string;
  readonly alias?: string;
  /** False where a variable of that name means something else, or nothing. */
  readonly env?: false | readonly string[];
  /** False for what only makes sense for one start. */
  readonly config?: false;
}

export type Option = OptionBase &
  (
    | { readonly kind: "integer"; readonly min: number; readonly max: number }
    | { readonly kind: "text" | "texts" | "file" | "time" | "flag" | "latency" }
    | { readonly kind: "choice"; readonly choices: readonly string[] }
  );

export const DEFAULT_PORT = 4010;

/** By configuration member; the flag is the same in kebab case. */
export const serveOptions = {
  port: {
    kind: "integer",
    min: 0,
    max: 65_535,
    alias: "p",
    env: ["LATCHKEY_PORT", "PORT"],
    describe: "port to listen on; 0 takes a free one",
    default: String(DEFAULT_PORT),
  },
  host: {
    kind: "text",
    describe: "host to listen on",
    default: "127.0.0.1 and ::1",
  },
  fixture: {
    kind: "texts",
    alias: "f",
    describe: "fixture to start with, JSON or YAML; repeatable",
    default: "one API, three keys",
  },
  generate: {
    kind: "integer",
    min: 0,
    max: 1_000_000,
    alias: "g",
    describe: "make up this many keys, spread over the APIs of the first workspace",
    default: "none",
  },
  randomSeed: {
    kind: "integer",
    min: 0,
    max: Number.MAX_SAFE_INTEGER,
    describe: "makes the same key values and made-up keys every time, with --now the same ids",
    default: "random",
  },
  now: {
    kind: "time",
    describe: "time to start at, standing still: ISO 8601 or unix milliseconds",
    default: "the real time",
  },
  token: {
    kind: "texts",
    // LATCHKEY_TOKEN is what tests are told to use, not what to accept.
    env: false,
    describe: "accept only this token, as TOKEN or TOKEN=permission,…; repeatable",
  },
  controlToken: {
    kind: "text",
    describe:
      "token that control routes need, and that opens no operation; a listed token with the permission latchkey.control or * may use them too",
    default: "none; a random one where tokens are listed and none of them may use control routes",
  },
  strict: {
    kind: "flag",
    describe: "refuse unknown fields and parameters instead of warning of them",
  },
  isolate: {
    kind: "flag",
    describe: "give every token that no fixture lists its own copy of the first workspace",
  },
  quirk: {
    kind: "texts",
    describe: "bring back an oddity of the live service; repeatable, or all (`latchkey quirks`)",
  },
  latency: {
    kind: "latency",
    describe: "milliseconds that every operation takes, or MIN-MAX",
    default: "none",
  },
  state: {
    kind: "file",
    describe:
      "JSON file: start from it if it is there (fixtures are ignored then), save changes to it; --no-state: none, whatever the configuration file says",
  },
  watch: {
    kind: "flag",
    describe: "start over whenever a fixture file changes",
  },
  log: {
    kind: "choice",
    choices: ["silent", "warn", "text", "json"],
    describe:
      "what is told on stderr: a line for each request (text or json), only warnings and operations that are not served (warn), or nothing (silent)",
    default: "text; exec: warn",
  },
  control: {
    kind: "flag",
    describe: "serve control routes under /_latchkey; --no-control leaves them out",
    default: "true",
  },
  ui: {
    kind: "flag",
    default: "true",
    describe: "serve a page to look at it at / and /_latchkey/ui; --no-ui leaves it out",
  },
  open: {
    kind: "flag",
    describe: "open that page in the browser",
  },
  allowHost: {
    kind: "texts",
    describe: "further host name under which control routes may be called; repeatable",
  },
  json: {
    kind: "flag",
    describe: "print one line of JSON when ready, and nothing else on stdout",
  },
  config: {
    kind: "text",
    config: false,
    describe: "configuration file",
    default: "latchkey.config.json, .yaml or .yml, if there is one",
  },
} as const satisfies OptionTable;

/** Options of `latchkey generate`. */
export const generateOptions = {
  count: {
    kind: "integer",
    min: 0,
    max: 1_000_000,
    alias: "c",
    describe: "how many keys, spread over the APIs",
    default: "100",
  },
  api: {
    kind: "texts",
    describe: "id of an API that gets keys; repeatable",
    default: "api_local, or all of the fixture",
  },
  fixture: {
    kind: "texts",
    alias: "f",
    describe: "fixture whose APIs get keys; what is written is to stand beside it; repeatable",
  },
  randomSeed: serveOptions.randomSeed,
  now: {
    kind: "time",
    describe: "time that creation counts back from",
    default: "2026-01-01 with --random-seed, else now",
  },
  out: {
    kind: "text",
    alias: "o",
    describe: "file to write",
    default: "stdout",
  },
  format: {
    kind: "choice",
    choices: ["json", "yaml"],
    describe: "how it is written: json or yaml",
    default: "by the name of the file, else json",
  },
} as const satisfies OptionTable;

/** Options of `latchkey openapi`. */
export const openApiOptions = {
  control: {
    kind: "flag",
    describe: "of the control routes under /_latchkey instead of the operations",
  },
} as const satisfies OptionTable;

export type OptionTable = Readonly<Record<string, Option>>;

/** What a person has set of the options of a table. */
export type Settings<Table extends OptionTable> = {
  readonly [Name in keyof Table]?: ValueOf<Table[Name]["kind"]>;
};

export type OptionName = keyof typeof serveOptions;

type ValueOf<Kind extends Option["kind"]> = Kind extends "integer"
  ? number
  : Kind extends "flag"
    ? boolean
    : Kind extends "texts"
      ? readonly string[]
      : Kind extends "file"
        ? string | false
        : Kind extends "time"
          ? string | number
          : Kind extends "latency"
            ? Latency
            : string;

/** What a person has set, by flag, environment or configuration. */
export type ServeOptions = Settings<typeof serveOptions>;

/**
 * What `exec`, `startProcess` and the set-up of vitest use in the place of what a configuration file
 * says: there it is meant for a person who looks at a demo. Flags and variables win over these.
 */
export const testDefaults = {
  state: false,
  watch: false,
  open: false,
  log: "warn",
} as const satisfies ServeOptions;

export const optionNames = Object.keys(serveOptions) as OptionName[];

export const EXPECTED_COMMAND =
  "exec: expected a command behind --, like `latchkey exec -- npm test`";

/** `exec` always takes a free port, and its output is that of the command. */
export const execOptions: OptionTable = Object.fromEntries(
  Object.entries(serveOptions).filter(([name]) => name !== "port" && name !== "json"),
);

/** The variables that `generate` reads too: those that say which keys are made up. */
export const generateVariables = ["randomSeed", "now"] as const satisfies readonly OptionName[];

/** What the help says of an option. */
export function helpText({ default: fallback, describe }: Option): string {
  return fallback === undefined ? describe : `${describe} [${fallback}]`;
}

/** `randomSeed` is `--random-seed`. */
export function toFlag(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** The environment variables that set an option, the strongest first. */
export function variablesOf(name: OptionName): readonly string[] {
  const { env }: Option = serveOptions[name];
  if (env === false) return [];
  return env ?? [`LATCHKEY_${toFlag(name).replaceAll("-", "_").toUpperCase()}`];
}

/**
 * Whether LATCHKEY_CONTROL_TOKEN belongs to the emulator at LATCHKEY_URL, as `latchkey exec` sets
 * both for its command. It is no option then: another emulator would ask for that token.
 */
export function isTokenOfAnother(env: Readonly<Record<string, string | undefined>>): boolean {
  return Boolean(env["LATCHKEY_URL"] && env["LATCHKEY_CONTROL_TOKEN"]);
}
