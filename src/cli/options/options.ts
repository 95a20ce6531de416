import * as z from "zod/mini";
import { sharedOptions } from "../../emulator/shared-options.ts";
import { serverOptions } from "../../doors/http/server-options.ts";
import * as f from "../../schema/fields.ts";
import { profileNames } from "../../seed/format.ts";
import { EXPECTED_TOKEN, isToken } from "../../state/records/tokens.ts";
import type { TokenGrant } from "../../seed/check.ts";

export function texts() {
  return listOfTexts(f.filledText());
}

export function listOfTexts<Item extends z.ZodMiniType>(item: Item) {
  const error = "expected a list of texts that are not empty";
  return z.readonly(z.array(item, { error }).check(z.minLength(1, { error })));
}

function file() {
  const error = "expected the name of a file";
  return f.described(z.union([z.literal(false), f.filledText(error)], { error }), {
    title: "file",
  });
}

/** Tokens to accept, each as `TOKEN` or `TOKEN=permission,…`. */
function grants() {
  const isGrant = (given: string) => isToken(toGrant(given).token);
  const token = f.filledText().check(z.refine(isGrant, { error: EXPECTED_TOKEN }));
  const list = listOfTexts(z.pipe(token, z.transform(toGrant)));
  const isOnce = (all: readonly TokenGrant[]) =>
    new Set(all.map((each) => each.token)).size === all.length;
  return list.check(z.refine(isOnce, { error: "expected each token once" }));
}

/**
 * Parses `TOKEN` or `TOKEN=permission,…`. A token may end in `=`, like base64, so the permissions begin
 * after the first `=` that is not before another `=` or the end.
 */
function toGrant(given: string): TokenGrant {
  const [, token, permissions] = /^(.+?)=([^=].*)$/.exec(given) ?? [];
  if (token === undefined || permissions === undefined) return { token: given };
  return { token, permissions: permissions.split(",").map((permission) => permission.trim()) };
}

/** A latency as text: `80` or `80-250`. Other text is kept, and refused later. */
function toLatency(given: string): unknown {
  const [, min, max] = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(given) ?? [];
  if (min === undefined) return given;
  return max === undefined ? Number(min) : [Number(min), Number(max)];
}

/** Everything about an option except the values that its schema accepts. */
export interface OptionDetails {
  readonly describe: string;
  /** The default, as help and reference describe it. */
  readonly default?: string;
  readonly alias?: string;
  /** For a list, the name of one item, which is the name of the flag. Each use of the flag adds an item. */
  readonly one?: string;
  /** Reads the text of a flag or a variable. Default: as text, number or boolean, as the schema expects. */
  readonly parse?: (text: string) => unknown;
  /** The variables that set it; the first overrides the others. False for none. Default: `LATCHKEY_<FLAG>`. */
  readonly env?: false | readonly string[];
  /** False for an option that a configuration file cannot set. */
  readonly config?: false;
  /** The value of a flag that stands alone. Default: the flag needs a value. */
  readonly alone?: string;
}

/**
 * Every option of the command line is described once, by its schema and its entry in this registry.
 * Flags, variables, configuration members, types, help texts and the reference are derived from these.
 */
export const details = z.registry<OptionDetails>();

export type Option = z.ZodMiniType;

export type OptionTable = Readonly<Record<string, Option>>;

export function textOf(option: Option): string {
  const { describe, one } = detailsOf(option);
  return one === undefined ? describe : `${describe}; repeatable`;
}

export function kindOf(option: Option): "boolean" | "list" | "number" | "text" {
  if (detailsOf(option).one !== undefined) return "list";
  const { type } = f.unwrap(option)._zod.def;
  return type === "boolean" || type === "number" ? type : "text";
}

/** The name of a form that is neither a type of JSON nor free text, like `time`. */
export function titleOf(option: Option): unknown {
  return (f.docs.get(option) ?? f.docs.get(f.unwrap(option)))?.["title"];
}

export function detailsOf(option: Option): OptionDetails {
  const found = details.get(option);
  if (found === undefined) throw new Error("an option is registered with its details");
  return found;
}

export const DEFAULT_PORT = 4010;
/** The port of the service's local gateway. */
export const DEFAULT_GATEWAY_PORT = 8080;

// The options of `latchkey serve`, by their names in code and in a configuration file.

const seedingOptions = {
  fixtures: texts().register(details, {
    one: "fixture",
    alias: "f",
    describe: "fixture to start with, JSON or YAML",
    default: "one API, three keys, an identity, a role, two permissions",
  }),
  generate: f.integer({ min: 0, max: 1_000_000 }).register(details, {
    alias: "g",
    describe: "generate this many keys, spread over the APIs of the first workspace",
    default: "none",
  }),
  randomSeed: sharedOptions.randomSeed().register(details, {
    describe: "number that decides key values and generated keys; with --now, times and ids too",
    default: "random",
  }),
  now: sharedOptions.now().register(details, {
    describe: "stop the clock at this time: ISO 8601 or unix milliseconds",
    default: "the real time",
  }),
  state: file().register(details, {
    describe:
      "file that keeps the state: it is loaded at the start and saved after changes; if it exists, fixtures are ignored",
  }),
  watch: f.flag().register(details, { describe: "start over whenever a fixture file changes" }),
} satisfies OptionTable;

const accessOptions = {
  tokens: grants().register(details, {
    one: "token",
    // LATCHKEY_TOKEN is the token that `exec` passes to its command, not one to accept.
    env: false,
    describe: "accept only this token, as TOKEN or TOKEN=permission,…",
  }),
  isolate: sharedOptions.isolate().register(details, {
    describe: "give every token that no fixture lists a separate copy of the first workspace",
  }),
  controlToken: sharedOptions.controlToken().register(details, {
    describe:
      "token for the control routes alone; a listed token with the permission latchkey.control or * may use them too",
    default: "none, or a random one if tokens are listed and none of them may control",
  }),
  control: serverOptions.control().register(details, {
    describe: "serve control routes under /_latchkey; --no-control leaves them out",
    default: "true",
  }),
  allowHosts: serverOptions.allowHosts().register(details, {
    one: "allowHost",
    describe: "further host name under which control routes may be called",
  }),
  allowOrigins: serverOptions.allowOrigins().register(details, {
    one: "allowOrigin",
    describe: "origin whose pages may use control routes, like http://localhost:6006",
    default: "none but the emulator's own page",
  }),
} satisfies OptionTable;

const serviceOptions = {
  as: texts().register(details, {
    one: "as",
    // LATCHKEY_AS is the variable that `exec` sets for its command, not an option.
    env: false,
    describe:
      "redirect calls to this origin, like https://api.unkey.com, to latchkey: for the command of exec, and for programs with the variables that serve prints",
    default: "none",
  }),
  strict: sharedOptions.strict().register(details, {
    describe: "refuse unknown fields and parameters instead of warning of them",
  }),
  quirks: sharedOptions.quirks().register(details, {
    one: "quirk",
    describe: "bring back an oddity of the live service, or all (`latchkey quirks`)",
  }),
  operations: texts().register(details, {
    one: "operation",
    describe: "module with operations of your own: its default export is an operation or a list",
    default: "none",
  }),
  latency: f
    .described(sharedOptions.latency(), { title: "milliseconds, or two" })
    .register(details, {
      parse: toLatency,
      describe: "milliseconds that every operation takes, or MIN-MAX",
      default: "none",
    }),
  ignoreFindings: sharedOptions.ignoreFindings().register(details, {
    one: "ignoreFinding",
    describe: "rule of findings to turn off (docs/what-it-tells.md)",
    default: "none",
  }),
  recordHeaders: sharedOptions.recordHeaders().register(details, {
    one: "recordHeader",
    describe: "header that the journal shows, like traceparent; it must hold no secret",
    default: "none",
  }),
} satisfies OptionTable;

const listeningOptions = {
  port: serverOptions.port().register(details, {
    alias: "p",
    env: ["LATCHKEY_PORT", "PORT"],
    describe: "port to listen on; 0 takes a free one",
    default: `${DEFAULT_PORT}; in code a free one`,
  }),
  host: serverOptions.host().register(details, {
    describe: "host to listen on",
    default: "127.0.0.1 and ::1",
  }),
  publicUrl: serverOptions.publicUrl().register(details, {
    describe:
      "URL of the proxy in front of the emulator: the banner and --open show it, and control routes accept its host, its pages and what it passes on",
    default: "the address that it listens on",
  }),
  gateway: f.filledText().register(details, {
    describe:
      "start the service's gateway in front of a program: the program's URL, to let in every valid key, or a gateway.toml (docs/gateway.md)",
    default: "none",
  }),
  gatewayPort: f.integer({ min: 0, max: 65_535 }).register(details, {
    describe: "port of the gateway; 0 takes a free one",
    default: `the port in its file, or else ${DEFAULT_GATEWAY_PORT}; a free one if the emulator takes a free one`,
  }),
  ui: serverOptions.ui().register(details, {
    default: "true",
    describe: "serve the web page at / and /_latchkey/ui; --no-ui leaves it out",
  }),
  open: f.flag().register(details, { describe: "open the web page in the browser" }),
  log: f.choice(["silent", "warn", "text", "json"]).register(details, {
    describe:
      "lines on stderr: one for each request (text or json), warnings alone (warn), or none (silent)",
    default: "text; exec: warn; sweep: silent",
  }),
  json: f.flag().register(details, {
    describe: "print one line of JSON when ready, and nothing else on stdout",
  }),
  exitWithStdin: f.flag().register(details, {
    // Only as a flag: from a variable, a process whose stdin is closed from the beginning would end at
    // once.
    env: false,
    config: false,
    describe: "end when standard input is closed, so that it does not outlive a killed test runner",
  }),
} satisfies OptionTable;

/** The options of `latchkey serve`, by the headings of its help. */
export const serveHeadings: Readonly<Record<string, OptionTable>> = {
  "Data and time": seedingOptions,
  Access: accessOptions,
  Behaviour: serviceOptions,
  "Address and output": listeningOptions,
};

/** All options of `latchkey serve`, in the order of its help. */
export const serveOptions = {
  ...seedingOptions,
  ...accessOptions,
  ...serviceOptions,
  ...listeningOptions,
};

export const generateOptions = {
  count: f.integer({ min: 0, max: 1_000_000 }).register(details, {
    describe: "number of keys, spread over the APIs",
    default: "the number in `generate` of the fixture, else 100",
  }),
  apis: texts().register(details, {
    one: "api",
    describe: "id of an API that gets keys",
    default: "api_local, or all of the fixture",
  }),
  profile: f.choice(profileNames).register(details, {
    describe: "a ready-made world instead of --count and --api: paging has APIs with 0 to 250 keys",
  }),
  fixtures: texts().register(details, {
    one: "fixture",
    alias: "f",
    describe: "fixture whose APIs get the keys; start the emulator with it and the written file",
  }),
  randomSeed: serveOptions.randomSeed,
  now: z.clone(sharedOptions.now()).register(details, {
    describe: "day before which the keys were created and used",
    default: "now",
  }),
  values: f.flag().register(details, {
    describe: "write the values of the keys instead of their hashes, so that you can verify them",
  }),
  out: f.filledText().register(details, {
    describe: "file to write",
    default: "stdout",
  }),
  format: f.choice(["json", "yaml"]).register(details, {
    describe: "output format: json or yaml",
    default: "from the name of the file, else json",
  }),
} satisfies OptionTable;

export const openApiOptions = {
  control: f.flag().register(details, {
    describe: "print the document of the control routes under /_latchkey instead",
  }),
} satisfies OptionTable;

export const checkOptions = { operations: serveOptions.operations } satisfies OptionTable;

export type Settings<Table extends OptionTable> = {
  readonly [Name in keyof Table]?: z.output<Table[Name]>;
};

export type OptionName = keyof typeof serveOptions;

/** The options of `latchkey serve`, as code and a configuration file give them. */
export type ServeOptions = {
  readonly [Name in keyof typeof serveOptions]?: z.input<(typeof serveOptions)[Name]>;
};

/** The options of `latchkey serve` that were set by flag, environment or configuration file. */
export type ServeSettings = Settings<typeof serveOptions>;

/**
 * Settings of `exec`, `startProcess` and the vitest set-up. They override a configuration file, because
 * that is meant for a person who looks at a demo. Flags and variables override these settings.
 */
export const testDefaults = {
  state: false,
  watch: false,
  open: false,
  log: "warn",
} as const satisfies ServeSettings;

export const optionNames = Object.keys(serveOptions) as OptionName[];

export const ownExecOptions = {
  failOn: f.choice(["findings"]).register(details, {
    describe: "findings: list the mistakes of clients at the end, and exit with 1 if there is one",
  }),
  permissions: f.choice(["each-api", "any-api"]).register(details, {
    alone: "each-api",
    describe:
      "at the end, list the permissions that each token needed: for each API, or for all of them (any-api)",
  }),
} satisfies OptionTable;

/**
 * The options of `exec`, which always uses a free port, prints only the output of its command, and leaves
 * stdin to it.
 */
export const execOptions: OptionTable = {
  ...Object.fromEntries(
    Object.entries(serveOptions).filter(
      ([name]) => !["exitWithStdin", "gatewayPort", "json", "port"].includes(name),
    ),
  ),
  ...ownExecOptions,
};

/** The options whose variables `generate` reads too: they decide which keys are generated. */
export const generateVariables = ["randomSeed", "now"] as const satisfies readonly OptionName[];

/** The flag of an option without its dashes: `random-seed` for `randomSeed`, `fixture` for `fixtures`. */
export function flagOf(name: string, option: Option): string {
  const { one = name } = detailsOf(option);
  return one.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

export function flagsOf(table: OptionTable): string[] {
  return Object.entries(table).map(([name, option]) => flagOf(name, option));
}

/** The environment variables that set an option. The first overrides the others. */
export function variablesOf(name: OptionName): readonly string[] {
  const option = serveOptions[name];
  const { env } = detailsOf(option);
  if (env === false) return [];
  return env ?? [`LATCHKEY_${flagOf(name, option).replaceAll("-", "_").toUpperCase()}`];
}

/**
 * Whether LATCHKEY_CONTROL_TOKEN belongs to the emulator at LATCHKEY_URL, because `latchkey exec` sets
 * both for its command. Then it is no option: otherwise an emulator that the command starts would require
 * a control token that its user did not choose.
 */
export function isTokenOfAnother(env: NodeJS.ProcessEnv): boolean {
  return Boolean(env["LATCHKEY_URL"] && env["LATCHKEY_CONTROL_TOKEN"]);
}
