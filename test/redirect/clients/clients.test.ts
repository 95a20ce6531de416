import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startProcess, type RunningProcess } from "../../../src/node.ts";
// @ts-expect-error -- a script without types
import { installInto } from "../../../scripts/on-demand.js";
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

/** A proxy that notes what it is asked. */
const asked: string[] = [];
const proxy = createServer((socket) => {
  socket.on("data", (bytes) => asked.push(bytes.toString("latin1")));
  socket.on("error", () => {});
});
let proxyUrl: string;
beforeAll(async () => {
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  proxyUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
});
afterAll(() => void proxy.close());

/** Runs a program with the variables of `startProcess`, and a proxy in its environment. */
async function lives(program: string, args: readonly string[], env: Record<string, string> = {}) {
  const { code, stderr, stdout } = await run(
    process.execPath,
    [join(PROGRAMS, program), ...args],
    process.cwd(),
    { ...emulator.programEnv, HTTPS_PROXY: proxyUrl, HTTP_PROXY: proxyUrl, ...env },
  );
  expect([code, stderr]).toEqual([0, ""]);
  const lines = stdout.trim().split("\n");
  return lines.map((line) => JSON.parse(line));
}

describe("each client of Node with the hosts compiled in makes, lists and verifies a key", () => {
  test.each(Object.keys(ways))("%s", async (way) => {
    expect(await lives("main.js", [`${way} as v2`, `${way} as v1`])).toEqual([LIVED, LIVED]);
    expect(asked).toEqual([]);
  });

  test.each(["@unkey/api 0.38", "@unkey/api 2.5.1"])("%s", async (client) => {
    expect(await lives("main.js", [client])).toEqual([LIVED]);
  });

  test("axios and EnvHttpProxyAgent of undici, with a proxy that cannot be reached", async () => {
    const env = { HTTPS_PROXY: "http://127.0.0.1:1" };

    expect(await lives("main.js", ["axios as v2"], env)).toEqual([LIVED]);
  });
});

describe("a program that is started in another way is redirected too", () => {
  const starts = [
    "CommonJS",
    "worker",
    "worker with an env of its own",
    "worker made of text",
    "worker in a worker",
    "spawn",
    "spawn with an env of its own",
    "exec with an env of its own",
    "spawnSync with NODE_OPTIONS of its own",
    "fork",
    "the shell",
    "execFileSync",
    "text",
  ];

  test.each(starts)("%s", async (start) => {
    for (const way of ["fetch", "https.request"]) {
      expect(await lives("starts.cjs", [start, `${way} as v2`])).toEqual([LIVED]);
    }
  });

  test("TypeScript by tsx", async () => {
    const tsx = installInto("tsx", "tsx@4", "tsx") as string;
    const env = { TSX: pathToFileURL(join(tsx, "dist", "loader.mjs")).href };

    expect(await lives("starts.cjs", ["TypeScript by tsx", "axios as v1"], env)).toEqual([LIVED]);
  });
});
