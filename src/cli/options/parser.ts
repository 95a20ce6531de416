import Parser from "yargs-parser";
import { detailsOf, toFlag, typeOf, type Option, type OptionTable } from "./options.ts";

/** How yargs and its parser read arguments. */
export const parserConfiguration = {
  "camel-case-expansion": false,
  "dot-notation": false,
  "greedy-arrays": false,
  "parse-numbers": false,
};

/** Flags of every command, with their aliases. */
export const textFlags = { help: "h", version: "v" } as const;

export interface Parsed {
  readonly flags: Readonly<Record<string, unknown>>;
  readonly words: readonly string[];
  /** What stands behind `--`. */
  readonly program: readonly string[];
  /** Flags that the table does not have. */
  readonly unknown: readonly string[];
  /** Why the arguments cannot be read; undefined where they can. */
  readonly problem: string | undefined;
}

/** The flags of a table by their kinds, as yargs and its parser want to know them. */
export function flagKinds(table: OptionTable) {
  const options = Object.entries(table);
  const flagsOf = (isMeant: (option: Option) => boolean) =>
    options.filter(([, option]) => isMeant(option)).map(([name]) => toFlag(name));
  const aliases = options.map(([name, option]) => [toFlag(name), detailsOf(option).alias ?? []]);
  return {
    alias: Object.fromEntries(aliases),
    array: flagsOf((option) => typeOf(option) === "array"),
    boolean: flagsOf((option) => typeOf(option) === "boolean"),
    string: flagsOf((option) => typeOf(option) !== "boolean"),
  };
}

/**
 * Reads arguments with the parser that yargs has inside. Loading yargs itself takes a third of a
 * start, so only what prints its texts does.
 */
export function parse(args: readonly string[], table: OptionTable): Parsed {
  const { alias, array, boolean, string } = flagKinds(table);
  const everywhere = Object.keys(textFlags);
  const { argv, error } = Parser.detailed([...args], {
    alias: { ...alias, ...textFlags },
    array,
    boolean: [...boolean, ...everywhere],
    string,
    // At least one, as yargs says it for an option that has to have a value.
    narg: Object.fromEntries(string.map((flag) => [flag, Number.NaN])),
    configuration: {
      ...parserConfiguration,
      "parse-positional-numbers": false,
      "populate--": true,
      "strip-aliased": true,
    },
  });
  const { _: words, "--": program = [], ...flags } = argv;
  const known = new Set([...boolean, ...string, ...everywhere]);
  return {
    flags,
    words: words.map(String),
    program: program.map(String),
    unknown: Object.keys(flags).filter((name) => !known.has(name)),
    problem: error?.message,
  };
}
