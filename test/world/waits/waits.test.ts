import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import type { Emulator } from "../../../src/index.ts";
import { givenClient, givenServer } from "../../_server.ts";
import { run } from "../../_run.ts";
// @ts-expect-error -- a program has no types
import { cases } from "./_programs/cases.js";

const names = Object.keys(cases as object);
const program = (name: string) => `test/world/waits/_programs/${name}.js`;
/** The other vitest must not inherit the variables of this one's workers. */
const VITEST = { VITEST: "", VITEST_POOL_ID: "", VITEST_WORKER_ID: "" };

test("a call that waits in process keeps a script alive until it ends, and no longer", async () => {
  const { code, stdout } = await run(process.execPath, [program("plain")], process.cwd());

  expect([code, stdout.trimEnd().split("\n")]).toEqual([0, names]);
});

test("a call that waits in process cancels no test of node:test", async () => {
  const args = ["--test", "--test-reporter=tap", program("node-test")];
  const { stdout } = await run(process.execPath, args, process.cwd());

  expect(stdout).toContain(`# pass ${names.length}\n# fail 0\n# cancelled 0\n`);
});

test("a call that waits in process ends in a test of vitest", async () => {
  const config = ["--config", "test/world/waits/_programs/vitest-config.cjs"];
  const vitest = ["node_modules/vitest/vitest.mjs", "run", ...config];
  const { code, stdout } = await run(process.execPath, vitest, process.cwd(), VITEST);

  expect([code, stdout]).toEqual([0, expect.stringContaining(`${names.length} passed`)]);
});

test("a call that hangs over HTTP keeps no process alive whose server was unref'd", () => {
  const code = `
    import { request } from "node:http";
    import { createEmulator } from "latchkey";
    import { serve } from "latchkey/node";
    const emulator = await createEmulator();
    emulator.faults.add({ effect: "hang" });
    const server = (await serve(emulator)).unref();
    const headers = { Authorization: "Bearer any", "Content-Type": "application/json" };
    const sent = request(server.url + "/v2/keys.getKey", { method: "POST", headers });
    sent.once("socket", (socket) => socket.unref()).end('{"keyId":"key_none"}');
    await emulator.requests.waitFor({ operation: "keys.getKey" });
    console.log("hangs");
  `;

  const { status, stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", code]);

  expect([String(stdout), status]).toEqual(["hangs\n", 0]);
});

test.each<[string, (emulator: Emulator) => Promise<void>]>([
  ["reset", (emulator) => emulator.reset()],
  ["restore", (emulator) => emulator.restore(emulator.snapshot())],
])("over HTTP too, a %s ends a call that hangs", async (_, replace) => {
  await using served = await givenServer();
  served.emulator.faults.add({ effect: "hang" });
  const list = "GET /v1/apis.listKeys?apiId=api_one HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer t";
  const client = await givenClient(served.port, `${list}\r\nConnection: close\r\n\r\n`);
  await served.emulator.requests.waitFor({ operation: "apis.listKeys" });

  await replace(served.emulator);
  await client.ended;

  expect(client.received()).toMatch(/^HTTP\/1\.1 500 .*reset, restored or closed while/s);
});
