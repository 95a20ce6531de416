import Parser from "yargs-parser";
import { execOptions, serveOptions, toFlag, type Option, type OptionTable } from "./options.ts";

/** How yargs and its parser read arguments. */
export const parserConfiguration = {
  "camel-case-expansion": false,
  "dot-notation": false,
  "greedy-arrays": false,
  "parse-numbers": false,
};

export interface PlainStart {
  readonly command: "serve" | "exec";
  readonly flags: Readonly<Record<string, unknown>>;
}

/**
 * Reads arguments that start an emulator and hold nothing but options of that command, with the
 * parser that yargs has inside: loading all of yargs takes as long as everything else that a start
 * does. Undefined for all other arguments, those that are wrong too: these are for yargs.
 */
export function readPlainStart(args: readonly string[]): PlainStart | undefined {
  const [first = "", ...others] = args;
  if (first === "exec") return read("exec", others, execOptions);
  return read("serve", first === "serve" ? others : args, serveOptions);
}

function read(
  command: PlainStart["command"],
  args: readonly string[],
  table: OptionTable,
): PlainStart | undefined {
  const options = Object.entries(table).map(([name, option]) => ({
    flag: toFlag(name),
    ...option,
  }));
  const flagsOf = (isMeant: (option: Option) => boolean) =>
    options.filter(isMeant).map(({ flag }) => flag);
  const valued = flagsOf(({ kind }) => kind !== "flag");
  const { argv, error } = Parser.detailed([...args], {
    alias: Object.fromEntries(
      options.flatMap(({ flag, alias }) => (alias === undefined ? [] : [[flag, alias]])),
    ),
    array: flagsOf(({ kind }) => kind === "texts"),
    boolean: flagsOf(({ kind }) => kind === "flag"),
    string: valued,
    // At least one, as yargs says it for an option that has to have a value.
    narg: Object.fromEntries(valued.map((flag) => [flag, Number.NaN])),
    configuration: {
      ...parserConfiguration,
      "parse-positional-numbers": false,
      "populate--": true,
    },
  });
  const { _: words, ...flags } = argv;
  const known = new Set(options.flatMap(({ flag, alias }) => [flag, alias]));
  const isPlain =
    error === null && words.length === 0 && Object.keys(flags).every((name) => known.has(name));
  return isPlain ? { command, flags } : undefined;
}
