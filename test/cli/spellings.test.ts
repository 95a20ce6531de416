import { expect, test } from "vitest";
import { readArguments } from "../../src/cli/arguments.ts";
import { readConfig, unknownVariables } from "../../src/cli/options/read-options.ts";
import { createEmulator } from "../../src/index.ts";
import { startProcess } from "../../src/node.ts";

/** The flag of each list, and its name in code and in a configuration file. */
const lists = [
  ["fixture", "fixtures"],
  ["token", "tokens"],
  ["quirk", "quirks"],
  ["operation", "operations"],
  ["ignore-finding", "ignoreFindings"],
  ["allow-host", "allowHosts"],
  ["allow-origin", "allowOrigins"],
] as const;

const refused = async (start: () => unknown) =>
  Promise.resolve()
    .then(start)
    .then(
      () => "nothing",
      (error: Error) => error.message,
    );
const toCamel = (text: string) => text.replace(/-./g, (match) => match.slice(1).toUpperCase());
const toKebab = (text: string) => text.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

test.each(lists)(
  "--%s is the flag of %s, and either name is refused for the other",
  async (flag, name) => {
    const [one, many] = [toCamel(flag), toKebab(name)];
    const variable = `LATCHKEY_${many.replaceAll("-", "_").toUpperCase()}`;

    expect(readArguments([`--${flag}`, "a", `--${flag}=b`]).flags).toEqual({ [flag]: ["a", "b"] });
    expect(await refused(() => readArguments([`--${many}`, "a"]))).toMatch(
      `--${many}: unknown option, did you mean "${flag}"?`,
    );
    expect(readConfig("f.json", { [one]: ["a"] }).lines).toEqual([
      expect.stringContaining(`f.json: ${one}: unknown option, did you mean "${name}"?`),
    ]);
    expect(await refused(() => startProcess({ [one]: ["a"] }))).toMatch(
      `startProcess: ${one}: unknown option, did you mean "${name}"?`,
    );
    if (name.startsWith("allow")) return;
    expect(await refused(() => createEmulator({ [one]: [] }))).toMatch(
      `options: ${one}: unknown member, did you mean "${name}"?`,
    );
    if (name === "tokens") return;
    expect(unknownVariables({ [variable]: "a" })).toEqual([
      expect.stringContaining(
        `${variable} is ignored: unknown variable, did you mean "${variable.slice(0, -1)}"?`,
      ),
    ]);
  },
);

test("a list is refused as a single text", async () => {
  expect(readConfig("f.json", { fixtures: "a.yaml" }).lines).toEqual([
    expect.stringContaining("f.json: fixtures: expected"),
  ]);
});
