import Parser from "yargs-parser";
import { detailsOf, flagOf, kindOf, type Option, type OptionTable } from "./options.ts";

/** Settings for both yargs and yargs-parser, so that they read arguments in the same way. */
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
  /** The words after `--`. */
  readonly program: readonly string[];
  /** Flags that the table does not have. */
  readonly unknown: readonly string[];
  /** The parser's error message; undefined if it could read the arguments. */
  readonly problem: string | undefined;
}

/** The flags of a table, grouped by kind for yargs and yargs-parser. */
export function flagKinds(table: OptionTable) {
  const options = Object.entries(table);
  const ofKind = (isOfKind: (option: Option) => boolean) =>
    options.filter(([, option]) => isOfKind(option)).map(([name, option]) => flagOf(name, option));
  const aliases = options.map(([name, option]) => [
    flagOf(name, option),
    detailsOf(option).alias ?? [],
  ]);
  return {
    alias: Object.fromEntries(aliases),
    array: ofKind((option) => kindOf(option) === "list"),
    boolean: ofKind((option) => kindOf(option) === "boolean"),
    string: ofKind((option) => kindOf(option) !== "boolean"),
  };
}

/**
 * Reads arguments with yargs-parser, the parser that yargs itself uses. yargs is slow to load, so only
 * `help.ts` imports it.
 */
export function parse(args: readonly string[], table: OptionTable): Parsed {
  const { alias, array, boolean, string } = flagKinds(table);
  const alone = new Map(
    Object.entries(table).flatMap(([name, option]) => {
      const { alone: value } = detailsOf(option);
      return value === undefined ? [] : [[flagOf(name, option), value] as const];
    }),
  );
  const everywhere = Object.keys(textFlags);
  const { argv, error } = Parser.detailed([...args], {
    alias: { ...alias, ...textFlags },
    array,
    boolean: [...boolean, ...everywhere],
    string,
    // NaN means at least one value. yargs does the same for an option that requires a value.
    narg: Object.fromEntries(
      string.filter((flag) => !alone.has(flag)).map((flag) => [flag, Number.NaN]),
    ),
    configuration: {
      ...parserConfiguration,
      "parse-positional-numbers": false,
      "populate--": true,
      "strip-aliased": true,
    },
  });
  const { _: words, "--": program = [], ...flags } = argv;
  for (const [flag, value] of alone) if (flags[flag] === "") flags[flag] = value;
  const known = new Set([...boolean, ...string, ...everywhere]);
  return {
    flags,
    words: words.map(String),
    program: program.map(String),
    unknown: Object.keys(flags).filter((name) => !known.has(name)),
    problem: error?.message,
  };
}
