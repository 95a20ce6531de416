import { describe, expect, test } from "vitest";
import { readArguments } from "../../src/cli/arguments.ts";
import { UsageError } from "../../src/base/usage-error.ts";

describe("command and flags", () => {
  test.each([
    [[], "serve", {}],
    [["serve"], "serve", {}],
    [["--port", "0", "--json"], "serve", { port: "0", json: true }],
    [["--port", "0", "serve"], "serve", { port: "0" }],
    [["--strict", "serve"], "serve", { strict: true }],
    [
      ["serve", "-p0", "-f", "a.yaml", "--fixture=b.json", "--no-control", "--latency", "10-20"],
      "serve",
      { port: "0", fixture: ["a.yaml", "b.json"], control: false, latency: "10-20" },
    ],
    [["-p", "1", "--port", "2"], "serve", { port: ["1", "2"] }],
    [["--strict", "false", "--no-state"], "serve", { strict: false, state: false }],
    [["generate", "--count", "007", "--api", "1"], "generate", { count: "007", api: ["1"] }],
    [["openapi", "--control"], "openapi", { control: true }],
  ])("the command line reads the command and its flags from %j", (args, name, flags) => {
    expect(readArguments(args)).toEqual({ name, flags, words: [], program: [], isHelp: false });
  });
});

test.each([
  [
    ["check", "a.yaml", "b.json"],
    ["a.yaml", "b.json"],
  ],
  [["check", "1"], ["1"]],
  [["init"], []],
  [["init", "mine.yaml"], ["mine.yaml"]],
])("the command line %j has the positional arguments %j", (args, words) => {
  expect(readArguments(args).words).toEqual(words);
});

test.each([
  [["exec", "node", "-p", "1"], ["node", "-p", "1"], {}],
  [
    ["exec", "-f", "a.yaml", "--strict", "npm", "test", "--", "-h"],
    ["npm", "test", "--", "-h"],
    { fixture: ["a.yaml"], strict: true },
  ],
  [
    ["--token", "exec", "exec", "serve", "--strict=maybe"],
    ["serve", "--strict=maybe"],
    { token: ["exec"] },
  ],
  [["exec", "--", "a.yaml", "help"], ["a.yaml", "help"], {}],
])("without its --, which package managers remove, %j runs %j", (args, program, flags) => {
  const withDashes = args.includes("--")
    ? args
    : args.toSpliced(args.indexOf(program[0] ?? ""), 0, "--");

  expect(readArguments(args)).toEqual({ name: "exec", flags, words: [], program, isHelp: false });
  expect(readArguments(withDashes)).toEqual(readArguments(args));
});

test.each([
  [["--help"]],
  [["serve", "-h"]],
  [["--version"]],
  [["exec", "--port", "-v"]],
  [["--odd", "1", "-h"]],
  [["check", "help"]],
  [["exec", "help"]],
])("the command line %j asks for help or the version, even beside wrong arguments", (args) => {
  expect(readArguments(args).isHelp).toBe(true);
});

test.each([
  [["-xy"], ["--x: unknown option (known: fixture, ", "--y: unknown option (known: fixture, "]],
  [["--no-prot"], ['--prot: unknown option, did you mean "port"?']],
  [
    ["exec", "-p", "1"],
    [
      "--p: exec does not take this option of serve; it uses a free port and prints only the output of the command",
    ],
  ],
  [["exec", "--strict"], ["exec: expected a command behind --, like `latchkey exec -- npm test`"]],
  [["exec", "--"], ["exec: expected a command behind --"]],
  [["exec", "--port", "1", "--", "true"], ["--port: exec does not take this option of serve"]],
  [["exec", "--fixtur", "x", "--", "true"], ['--fixtur: unknown option, did you mean "fixture"?']],
  [
    ["exec", "--fixture", "a.yaml", "b.yaml", "--", "true"],
    ["exec: expected no word before --; put --fixture before each fixture"],
  ],
  [["a", "exec", "--", "b"], ["exec: expected no word before --"]],
  [["--port", "0", "--", "npm", "test"], ["serve: expected nothing behind --"]],
  [["init", "a.yaml", "b.yaml"], ["unexpected word: put an option before it"]],
  [["check", "a.yaml", "-"], ["check: expected file names"]],
  [
    ["frobnicate"],
    ["begin with a command: serve, exec, sweep, site, generate, init, check, openapi"],
  ],
  [
    ["chekc", "--odd"],
    ["--odd: unknown option (known: fixture, ", 'unknown command, did you mean "check"?'],
  ],
])("the command line %j is refused", (args, lines) => {
  const refusal = catchUsage(() => readArguments(args));

  expect(refusal).toHaveLength(lines.length);
  for (const [index, line] of lines.entries()) expect(refusal[index]).toContain(line);
});

function catchUsage(run: () => unknown): readonly string[] {
  try {
    run();
  } catch (error) {
    if (error instanceof UsageError) return error.problems;
    throw error;
  }
  return [];
}
