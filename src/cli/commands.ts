import {
  checkOptions,
  execOptions,
  generateOptions,
  openApiOptions,
  serveOptions,
  type OptionTable,
} from "./options/options.ts";
import { siteOptions } from "./options/site-options.ts";
import { sweepOptions } from "./options/sweep-options.ts";
import { quirks } from "../api/quirks.ts";
import { runServe } from "./commands/serve.ts";

export interface CommandInput {
  readonly flags: Readonly<Record<string, unknown>>;
  readonly words: readonly string[];
  readonly program: readonly string[];
}

export interface Command {
  readonly describe: string;
  readonly options: OptionTable;
  /** The words that it accepts. Default: only flags. */
  readonly words?: {
    readonly name: string;
    readonly describe: string;
    readonly isList: boolean;
  };
  /** The usage line, if it does not follow from options and words. */
  readonly program?: string;
  /** Examples for its help: the call without the program's name, and its effect. */
  readonly examples?: readonly (readonly [call: string, effect: string])[];
  run(input: CommandInput): number | Promise<number>;
}

/**
 * Every command of the command line. Only `serve` is imported at once, because most starts run it. The
 * others are imported when they run.
 */
export const commands = {
  serve: {
    describe: "start the emulator (default)",
    options: serveOptions,
    examples: [
      ["--fixture fixture.yaml --watch", "start over whenever the fixture changes"],
      ["--generate 500 --random-seed 1435 --open", "500 generated keys, and the web page"],
      ["--fixture fixture.yaml --state state.json", "keep new records for the next start"],
    ],
    run: ({ flags }) => runServe(flags),
  },
  exec: {
    describe:
      "start the emulator on a free port, run a command with LATCHKEY_URL and LATCHKEY_TOKEN, and stop",
    options: execOptions,
    program: "exec [options] -- <command>",
    examples: [
      ["exec -- npm test", "run the tests with an emulator"],
      ["exec --fixture fixture.yaml -- pytest", "the same with data, for any language"],
    ],
    run: async ({ flags, program }) => (await import("./commands/exec.ts")).runExec(flags, program),
  },
  sweep: {
    describe:
      "run a command once for each call and each answer that could break it, and list its mistakes",
    options: sweepOptions,
    program: "sweep [options] -- <command>",
    examples: [
      ["sweep -- npm test", "find the answers that break the program"],
      [
        "sweep --case 'createKey(main).lost-after' -- npm test",
        "run one case, and show the output",
      ],
    ],
    run: async ({ flags, program }) =>
      (await import("./commands/sweep.ts")).runSweep(flags, program),
  },
  site: {
    describe: "write the web page with an emulator in it, as static files for any web server",
    options: siteOptions,
    examples: [
      ["site --fixture fixture.yaml --generate 500 --out site", "a demo without a server"],
    ],
    run: async ({ flags }) => (await import("./commands/site.ts")).runSite(flags),
  },
  generate: {
    describe: "write a fixture of generated keys",
    options: generateOptions,
    run: async ({ flags }) => (await import("./commands/generate.ts")).runGenerate(flags),
  },
  init: {
    describe: "write a fixture with comments to start from [latchkey.yaml]",
    options: {},
    words: { name: "file", describe: "YAML file", isList: false },
    run: async ({ words }) => (await import("./commands/init.ts")).runInit(words[0]),
  },
  check: {
    describe: "check fixtures, and print a line for every problem",
    options: checkOptions,
    words: { name: "fixture", describe: "JSON or YAML file", isList: true },
    run: async ({ flags, words }) => (await import("./commands/check.ts")).runCheck(words, flags),
  },
  openapi: {
    describe: "print the OpenAPI 3.1 document of the operations",
    options: openApiOptions,
    run: async ({ flags }) => (await import("./commands/openapi.ts")).runOpenApi(flags),
  },
  quirks: {
    describe: "list the oddities of the live service that --quirk brings back",
    options: {},
    run() {
      const width = Math.max(...Object.keys(quirks).map(({ length }) => length));
      for (const [name, explanation] of Object.entries(quirks)) {
        process.stdout.write(`${name.padEnd(width)}  ${explanation}\n`);
      }
      return 0;
    },
  },
} satisfies Record<string, Command>;

export type CommandName = keyof typeof commands;
