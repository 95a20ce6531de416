import { describe, expect, test } from "vitest";
import { plurals } from "../../src/base/spellings.ts";
import { readArguments } from "../../src/cli/options/arguments.ts";
import { toFlag } from "../../src/cli/options/options.ts";
import { readConfig } from "../../src/cli/options/read-options.ts";
import { createEmulator, defineOperation, type EmulatorOptions } from "../../src/index.ts";
import { startProcess } from "../../src/node.ts";
import * as z from "zod";

const pairs = Object.entries(plurals);
const linesOf = async (start: () => unknown): Promise<readonly string[]> => {
  try {
    await start();
  } catch (error) {
    return (error as { problems: readonly string[] }).problems;
  }
  return [];
};

describe.each(pairs)("%s and %s", (singular, plural) => {
  test("are one flag, by its singular", () => {
    for (const flag of [toFlag(singular), toFlag(plural)]) {
      for (const args of [
        [`--${flag}`, "a", `--${flag}=b`],
        [`--${flag}=a`, `--${flag}`, "b"],
      ]) {
        expect(readArguments(args).flags).toEqual({ [toFlag(singular)]: ["a", "b"] });
      }
    }
    expect(readArguments(["exec", "--", "x", `--${toFlag(plural)}`]).program).toEqual([
      "x",
      `--${toFlag(plural)}`,
    ]);
  });

  test("are refused as flags beside each other", async () => {
    const [one, other] = [`--${toFlag(singular)}`, `--${toFlag(plural)}`];

    expect(await linesOf(() => readArguments([one, "a", other, "b"]))).toEqual([
      `${one} and ${other}: expected one of them, because they are the same option`,
    ]);
  });

  test("are one member of a configuration file", () => {
    const values = plural === "allowOrigins" ? ["https://a.test"] : ["a", "b"];
    const [one, other] = [singular, plural].map((name) =>
      readConfig("latchkey.config.json", { [name]: values }),
    );

    expect(one).toEqual({ options: { [singular]: values }, lines: [] });
    expect(other).toEqual(one);
    expect(readConfig("f.json", { [singular]: values, [plural]: values }).lines).toEqual([
      `f.json: ${singular} and ${plural}: expected one of them, because they are the same option`,
    ]);
    expect(readConfig("f.json", { [plural]: 5 }).lines[0]).toMatch(`f.json: ${plural}: expected`);
  });

  test("are refused beside each other by startProcess", async () => {
    expect(await linesOf(() => startProcess({ [singular]: ["a"], [plural]: ["b"] }))).toEqual([
      `startProcess: ${singular} and ${plural}: expected one of them, because they are the same option`,
    ]);
  });
});

const run = defineOperation({
  contract: {
    name: "tests.run",
    method: "POST",
    path: "/v2/tests.run",
    input: z.object({}),
    output: z.object({}),
  },
  run: () => ({}),
} as never);
const single: Readonly<Record<string, unknown>> = {
  fixture: { apis: [{ id: "api_one" }] },
  token: { token: "reader" },
  quirk: "random-ids",
  operation: run,
  ignoreFinding: "expires-in-seconds",
};

test.each(pairs.filter(([singular]) => singular in single))(
  "createEmulator takes one %s as it takes a list of %s",
  async (singular, plural) => {
    const [one, list, both] = [
      { [singular]: single[singular] },
      { [plural]: [single[singular]] },
      { [singular]: single[singular], [plural]: [single[singular]] },
    ] as EmulatorOptions[];
    const settings = { randomSeed: 1, now: 0 };
    const [first, second] = await Promise.all([
      createEmulator({ ...settings, ...one }),
      createEmulator({ ...settings, ...list }),
    ]);

    expect(first.snapshot()).toEqual(second.snapshot());
    expect(first.operations.length).toBe(second.operations.length);
    expect(await linesOf(() => createEmulator(both))).toEqual([
      `options: ${singular} and ${plural}: expected one of them, because they are the same option`,
    ]);
  },
);

test("startProcess names a wrong member as it was spelt", async () => {
  expect(await linesOf(() => startProcess({ fixtures: [{}] } as never))).toEqual([
    expect.stringMatching(/^startProcess: fixtures: expected names of files, got an object; /),
  ]);
});
