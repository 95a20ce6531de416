import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startProcess, type RunningProcess } from "../../../src/node.ts";
// @ts-expect-error -- a script without types
import { install } from "../../../scripts/on-demand.js";
import { run } from "../../_run.ts";
// @ts-expect-error -- a program without types
import { ways } from "../_programs/ways.js";

const PROGRAMS = resolve("test/redirect/_programs");
const LIVED = {
  isListed: true,
  isValid: true,
  unserved: expect.stringMatching(/^404 latchkey does not serve /),
};

let emulator: RunningProcess;
beforeAll(async () => {
  emulator = await startProcess({
    as: ["https://api.unkey.com", "https://api.unkey.dev"],
    log: "silent",
  });
});
afterAll(() => emulator.stop());

/** Runs a program with the variables of `startProcess`. */
async function lives(program: string, args: readonly string[], flags: readonly string[] = []) {
  const { code, stderr, stdout } = await run(
    process.execPath,
    [...flags, join(PROGRAMS, program), ...args],
    process.cwd(),
    emulator.programEnv,
  );
  expect([code, stderr]).toEqual([0, ""]);
  const lines = stdout.trim().split("\n");
  return lines.map((line) => JSON.parse(line));
}

describe("each client of Node with the hosts compiled in makes, lists and verifies a key", () => {
  test.each(Object.keys(ways))("%s", async (way) => {
    expect(await lives("main.js", [`${way} as v2`, `${way} as v1`])).toEqual([LIVED, LIVED]);
  });

  test.each(["@unkey/api 0.38", "@unkey/api 2.5.1"])("%s", async (client) => {
    expect(await lives("main.js", [client])).toEqual([LIVED]);
  });

  test("TypeScript by tsx", async () => {
    const tsx = install("tsx") as string;
    const loader = pathToFileURL(join(tsx, "dist", "loader.mjs")).href;

    expect(await lives("main.mts", ["axios as v1"], ["--import", loader])).toEqual([LIVED]);
  });
});
