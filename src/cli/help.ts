import yargs, { type Argv } from "yargs";
import { version } from "../base/version.ts";
import { type Command, commands } from "./commands.ts";
import {
  detailsOf,
  flagOf,
  flagsOf,
  kindOf,
  serveHeadings,
  textOf,
  titleOf,
} from "./options/options.ts";
import { flagKinds, parserConfiguration, textFlags } from "./arguments.ts";

export async function printHelp(args: readonly string[]): Promise<void> {
  const cli = yargs()
    .scriptName("latchkey")
    .locale("en")
    .usage(
      "$0 [command]\n\nUnkey's API on your machine: API keys, rate limits, identities and permissions.",
    )
    .version("version", "print the version", version)
    .help("help", "print this text")
    .alias(textFlags)
    .parserConfiguration(parserConfiguration)
    .exitProcess(false)
    .epilogue("The docs are in the folder docs of the package; docs/reference.md has every option.")
    .wrap(Math.min(100, process.stdout.columns ?? 100));
  for (const [name, command] of Object.entries<Command>(commands)) {
    cli.command(usagesOf(name, command), command.describe, (inner) => withOptions(inner, command));
  }
  // yargs accepts the word "help" only as the last one.
  const isWord = args.includes("help");
  await cli.parseAsync(isWord ? [...args.filter((arg) => arg !== "help"), "--help"] : [...args]);
}

function usagesOf(name: string, { words }: Command): string[] {
  if (words === undefined) return name === "serve" ? [name, "$0"] : [name];
  return [`${name} ${words.isList ? `<${words.name}..>` : `[${words.name}]`}`];
}

function withOptions(
  command: Argv,
  { describe, examples = [], options, program, words }: Command,
): Argv {
  const { alias, array, boolean } = flagKinds(options);
  const ofType = (kind: ReturnType<typeof kindOf>) =>
    Object.entries(options)
      .filter(([, option]) => kindOf(option) === kind && titleOf(option) === undefined)
      .map(([name, option]) => flagOf(name, option));
  const texts = Object.entries(options).map(([name, option]) => {
    const { default: fallback } = detailsOf(option);
    const title = titleOf(option);
    // yargs has no type names for times and other formatted texts.
    const words = [textOf(option), fallback && `[${fallback}]`, title && `[${title}]`];
    return [flagOf(name, option), words.filter(Boolean).join(" ")] as const;
  });
  if (words !== undefined) {
    const { describe: text, isList, name } = words;
    // Without a default, yargs shows an empty list as the default of a list.
    const fallback = isList ? { default: undefined } : {};
    command.positional(name, { type: "string", array: isList, describe: text, ...fallback });
  }
  if (program !== undefined) command.usage(`$0 ${program}\n\n${describe}`);
  for (const [call, effect] of examples) command.example(`$0 ${call}`, effect);
  // Headings help only if the options do not fit on a screen.
  const isLong = texts.length > 12;
  for (const [heading, table] of isLong ? Object.entries(serveHeadings) : []) {
    const shown = Object.entries(table).filter(([name]) => name in options);
    command.group(flagsOf(Object.fromEntries(shown)), `${heading}:`);
  }
  return command
    .describe(Object.fromEntries(texts))
    .alias(alias)
    .array(array)
    .boolean(boolean)
    .number(ofType("number"))
    .string(ofType("text"));
}
