import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { runCommand } from "../../src/cli/commands.ts";
import { serveOptions, toFlag, type Option } from "../../src/cli/options.ts";
import { readPlainStart } from "../../src/cli/plain-start.ts";

/** What yargs has chosen. */
const chosen = vi.hoisted((): { command?: string; flags?: Record<string, unknown> } => ({}));
vi.mock("../../src/cli/serve.ts", () => ({
  runServe: (flags: object) => void Object.assign(chosen, { command: "serve", flags }),
}));
vi.mock("../../src/cli/exec.ts", () => ({
  runExec: (flags: object) => void Object.assign(chosen, { command: "exec", flags }),
}));

const names = Object.keys(serveOptions).map(toFlag);

/** What is read of them. */
function known(flags: Readonly<Record<string, unknown>> = {}) {
  return Object.fromEntries(Object.entries(flags).filter(([name]) => names.includes(name)));
}

const flags = Object.entries(serveOptions).flatMap(([name, { alias }]: [string, Option]) => [
  `--${toFlag(name)}`,
  ...(alias === undefined ? [] : [`-${alias}`]),
]);
const values = ["", "0", "1e3", "007", "-1", "a", "a,b", "a=b", "true", "false", "x.yaml", "serve"];
const strange = [
  "--no-control",
  "--no-port",
  "--help",
  "-h",
  "-v",
  "--",
  "-",
  "--odd",
  "-pf",
  "-p0",
];
const word = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...flags) },
  { weight: 6, arbitrary: fc.constantFrom(...values) },
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.constantFrom(...flags), fc.constantFrom(...values))
      .map((pair) => pair.join("=")),
  },
  { weight: 1, arbitrary: fc.constantFrom(...strange) },
);
const args = fc
  .tuple(
    fc.constantFrom([], ["serve"], ["exec"], ["openapi"]),
    fc.array(
      fc.oneof(
        word.map((one) => [one]),
        // Most of what makes sense.
        fc.tuple(fc.constantFrom(...flags), fc.constantFrom(...values)),
      ),
      { maxLength: 5 },
    ),
  )
  .map(([command, words]) => [...command, ...words.flat()]);

test("what is read without yargs, yargs reads alike", async () => {
  let count = 0;
  await fc.assert(
    fc.asyncProperty(args, async (given) => {
      const plain = readPlainStart(given);
      if (plain === undefined) return;
      count += 1;

      Object.assign(chosen, { command: undefined, flags: undefined });
      await runCommand(given, []);

      expect(plain.command).toBe(chosen.command);
      expect(known(plain.flags)).toEqual(known(chosen.flags));
    }),
    { numRuns: 300 },
  );
  expect(count).toBeGreaterThan(30);
});

test.each([
  [[]],
  [["serve"]],
  [["--port", "0", "--json"]],
  [["serve", "-p0", "-f", "a.yaml", "--fixture=b.json", "--no-control", "--latency", "10-20"]],
  [["exec", "--isolate", "--token", "a=b"]],
])("%j is read without yargs", (given) => {
  expect(readPlainStart(given)).toBeDefined();
});

test.each([
  [["--help"]],
  [["serve", "-h"]],
  [["--version"]],
  [["--port"]],
  [["--prot", "1"]],
  [["a.yaml"]],
  [["serve", "--", "a"]],
  [["exec", "--port", "1"]],
  [["openapi"]],
  [["check", "a.yaml"]],
])("%j is left to yargs", (given) => {
  expect(readPlainStart(given)).toBeUndefined();
});
