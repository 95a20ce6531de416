import * as z from "zod/mini";
import { flag, integer } from "../../schema/fields.ts";
import { unwrap } from "../../schema/unwrap.ts";
import { file, latencyText, oneOf, text, texts, time } from "./option-fields.ts";

/** What there is to know of an option beside the values that its schema takes. */
export interface OptionDetails {
  readonly describe: string;
  /** What holds where it is not set, for a person to read. */
  readonly default?: string;
  readonly alias?: string;
  /** False where a variable of that name means something else, or nothing. */
  readonly env?: false | readonly string[];
  /** False for what only makes sense for one start. */
  readonly config?: false;
}

/**
 * Every option of the command line is described once, by its schema and what is registered here: the
 * flags, environment variables, configuration members, types and help texts are made of that.
 */
const details = z.registry<OptionDetails>();

export type Option = z.ZodMiniType;

export type OptionTable = Readonly<Record<string, Option>>;

/** What its schema reads: `boolean`, `number`, `array`, … */
export function typeOf(option: Option): string {
  return unwrap(option)._zod.def.type;
}

export function detailsOf(option: Option): OptionDetails {
  const found = details.get(option);
  if (found === undefined) throw new Error("an option is registered with its details");
  return found;
}

export const DEFAULT_PORT = 4010;

/** By configuration member; the flag is the same in kebab case. */
export const serveOptions = {
  port: integer({ min: 0, max: 65_535 }).register(details, {
    alias: "p",
    env: ["LATCHKEY_PORT", "PORT"],
    describe: "port to listen on; 0 takes a free one",
    default: String(DEFAULT_PORT),
  }),
  host: text().register(details, {
    describe: "host to listen on",
    default: "127.0.0.1 and ::1",
  }),
  fixture: texts().register(details, {
    alias: "f",
    describe: "fixture to start with, JSON or YAML; repeatable",
    default: "one API, three keys",
  }),
  generate: integer({ min: 0, max: 1_000_000 }).register(details, {
    alias: "g",
    describe: "make up this many keys, spread over the APIs of the first workspace",
    default: "none",
  }),
  randomSeed: integer({ min: 0, max: Number.MAX_SAFE_INTEGER }).register(details, {
    describe: "makes the same key values and made-up keys every time, with --now the same ids",
    default: "random",
  }),
  now: time().register(details, {
    describe: "time to start at, standing still: ISO 8601 or unix milliseconds",
    default: "the real time",
  }),
  token: texts().register(details, {
    // LATCHKEY_TOKEN is what tests are told to use, not what to accept.
    env: false,
    describe: "accept only this token, as TOKEN or TOKEN=permission,…; repeatable",
  }),
  controlToken: text().register(details, {
    describe:
      "token that control routes need, and that opens no operation; a listed token with the permission latchkey.control or * may use them too",
    default: "none; a random one where tokens are listed and none of them may use control routes",
  }),
  strict: flag().register(details, {
    describe: "refuse unknown fields and parameters instead of warning of them",
  }),
  isolate: flag().register(details, {
    describe: "give every token that no fixture lists its own copy of the first workspace",
  }),
  quirk: texts().register(details, {
    describe: "bring back an oddity of the live service; repeatable, or all (`latchkey quirks`)",
  }),
  latency: latencyText().register(details, {
    describe: "milliseconds that every operation takes, or MIN-MAX",
    default: "none",
  }),
  state: file().register(details, {
    describe:
      "JSON file: start from it if it is there (fixtures are ignored then), save changes to it; --no-state: none, whatever the configuration file says",
  }),
  watch: flag().register(details, {
    describe: "start over whenever a fixture file changes",
  }),
  log: oneOf(["silent", "warn", "text", "json"]).register(details, {
    describe:
      "what is told on stderr: a line for each request (text or json), only warnings and operations that are not served (warn), or nothing (silent)",
    default: "text; exec: warn",
  }),
  control: flag().register(details, {
    describe: "serve control routes under /_latchkey; --no-control leaves them out",
    default: "true",
  }),
  ui: flag().register(details, {
    default: "true",
    describe: "serve a page to look at it at / and /_latchkey/ui; --no-ui leaves it out",
  }),
  open: flag().register(details, {
    describe: "open that page in the browser",
  }),
  allowHost: texts().register(details, {
    describe: "further host name under which control routes may be called; repeatable",
  }),
  json: flag().register(details, {
    describe: "print one line of JSON when ready, and nothing else on stdout",
  }),
  config: text().register(details, {
    config: false,
    describe: "configuration file",
    default: "latchkey.config.json, .yaml or .yml, if there is one",
  }),
} satisfies OptionTable;

/** Options of `latchkey generate`. */
export const generateOptions = {
  count: integer({ min: 0, max: 1_000_000 }).register(details, {
    alias: "c",
    describe: "how many keys, spread over the APIs",
    default: "100",
  }),
  api: texts().register(details, {
    describe: "id of an API that gets keys; repeatable",
    default: "api_local, or all of the fixture",
  }),
  fixture: texts().register(details, {
    alias: "f",
    describe: "fixture whose APIs get keys; what is written is to stand beside it; repeatable",
  }),
  randomSeed: serveOptions.randomSeed,
  now: time().register(details, {
    describe: "time that creation counts back from",
    default: "2026-01-01 with --random-seed, else now",
  }),
  out: text().register(details, {
    alias: "o",
    describe: "file to write",
    default: "stdout",
  }),
  format: oneOf(["json", "yaml"]).register(details, {
    describe: "how it is written: json or yaml",
    default: "by the name of the file, else json",
  }),
} satisfies OptionTable;

/** Options of `latchkey openapi`. */
export const openApiOptions = {
  control: flag().register(details, {
    describe: "of the control routes under /_latchkey instead of the operations",
  }),
} satisfies OptionTable;

/** What a person has set of the options of a table. */
export type Settings<Table extends OptionTable> = {
  readonly [Name in keyof Table]?: z.output<Table[Name]>;
};

export type OptionName = keyof typeof serveOptions;

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

/** `exec` always takes a free port, and its output is that of the command. */
export const execOptions: OptionTable = Object.fromEntries(
  Object.entries(serveOptions).filter(([name]) => name !== "port" && name !== "json"),
);

/** The variables that `generate` reads too: those that say which keys are made up. */
export const generateVariables = ["randomSeed", "now"] as const satisfies readonly OptionName[];

/** `randomSeed` is `--random-seed`. */
export function toFlag(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** The environment variables that set an option, the strongest first. */
export function variablesOf(name: OptionName): readonly string[] {
  const { env } = detailsOf(serveOptions[name]);
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
