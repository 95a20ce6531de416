import {
  execOptions,
  generateOptions,
  openApiOptions,
  serveOptions,
  type OptionTable,
} from "./options.ts";
import { runServe } from "../commands/serve.ts";

/** What a command is given, beside its name. */
export interface Given {
  readonly flags: Readonly<Record<string, unknown>>;
  readonly words: readonly string[];
  /** What stands behind `--`. */
  readonly program: readonly string[];
}

export interface Command {
  readonly describe: string;
  readonly options: OptionTable;
  /** The words that it takes; none where this is not set. */
  readonly words?: {
    readonly name: string;
    readonly describe: string;
    readonly isList: boolean;
  };
  /** Resolves to the exit code. */
  run(given: Given): number | Promise<number>;
}

/** Every command of the command line. The module of one is loaded when it is run; most starts serve. */
export const commands = {
  serve: {
    describe: "start the emulator (default)",
    options: serveOptions,
    run: ({ flags }) => runServe(flags),
  },
  exec: {
    describe:
      "start on a free port, run the command after -- with LATCHKEY_URL and LATCHKEY_TOKEN set, stop",
    options: execOptions,
    run: async ({ flags, program }) =>
      (await import("../commands/exec.ts")).runExec(flags, program),
  },
  generate: {
    describe: "write a fixture of made-up keys",
    options: generateOptions,
    run: async ({ flags }) => (await import("../commands/generate.ts")).runGenerate(flags),
  },
  init: {
    describe: "write a commented fixture to start from [latchkey.yaml]",
    options: {},
    words: { name: "file", describe: "YAML file", isList: false },
    run: async ({ words }) => (await import("../init.ts")).runInit(words[0]),
  },
  check: {
    describe: "validate fixtures: a line for every problem, exit code 1 if there is one",
    options: {},
    words: { name: "fixture", describe: "JSON or YAML file", isList: true },
    run: async ({ words }) => (await import("../commands/check.ts")).runCheck(words),
  },
  openapi: {
    describe: "print the OpenAPI 3.1 document",
    options: openApiOptions,
    run: async ({ flags }) => (await import("../commands/openapi.ts")).runOpenApi(flags),
  },
  quirks: {
    describe: "list the oddities of the live service that --quirk brings back",
    options: {},
    run: async () => (await import("../commands/quirks.ts")).runQuirks(),
  },
} satisfies Record<string, Command>;

export type CommandName = keyof typeof commands;
