import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startProcess, type RunningProcess } from "../../../../src/node.ts";
// @ts-expect-error -- a script without types
import { install } from "../../../../scripts/on-demand.js";
import { run } from "../../../_run.ts";
// @ts-expect-error -- a program without types
import { ways } from "../_programs/ways.js";

const PROGRAMS = resolve("test/doors/redirect/_programs");
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

/** Runs a program with the variables of `startProcess`, and returns what each of its clients saw. */
async function lives(program: string, clients: readonly string[], flags: readonly string[] = []) {
  const { code, stderr, stdout } = await run(
    process.execPath,
    [...flags, join(PROGRAMS, program), ...clients],
    process.cwd(),
    emulator.programEnv,
  );
  expect([code, stderr]).toEqual([0, ""]);
  const lines = stdout.trim().split("\n");
  return clients.map((client, index) => [client, JSON.parse(lines[index] ?? "null")]);
}

test("each client of Node with the hosts compiled in makes, lists and verifies a key", async () => {
  const named = Object.keys(ways).flatMap((way) => [`${way} as v2`, `${way} as v1`]);
  const clients = [...named, "@unkey/api 0.38", "@unkey/api 2.5.1"];

  expect(await lives("main.js", clients)).toEqual(clients.map((client) => [client, LIVED]));
});

test("a program in TypeScript that tsx runs is redirected", async () => {
  const tsx = install("tsx") as string;
  const loader = pathToFileURL(join(tsx, "dist", "loader.mjs")).href;
  const clients = ["axios as v1"];

  const seen = await lives("main.mts", clients, ["--import", loader]);

  expect(seen).toEqual([["axios as v1", LIVED]]);
});
