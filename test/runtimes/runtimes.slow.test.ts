import { describe, expect, test } from "vitest";
import { connect } from "../../src/control/client/connect.ts";
// @ts-expect-error -- scripts have no types
import { programOf } from "../../scripts/on-demand.js";
import { runCli, startCli } from "../_cli.ts";
import { run } from "../_run.ts";
import { sendBytes } from "../_server.ts";
// @ts-expect-error -- a program has no types
import { cases } from "../world/waits/_programs/cases.js";

const runtimes = {
  Bun: (): readonly string[] => [programOf("bun")],
  Deno: (): readonly string[] => [programOf("deno"), "run", "--allow-all"],
};

const CALL =
  "GET /v1/apis.listKeys?apiId=api_local HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer x\r\n";

describe.each(Object.entries(runtimes))("%s", (_, toRuntime) => {
  test("the command serves several calls of one connection, and ends at a signal", async () => {
    await using running = await startCli([], { runtime: toRuntime() });
    const { port, url } = running.ready;

    const answers = await sendBytes(port, `${CALL}\r\n${CALL}\r\n${CALL}Connection: close\r\n\r\n`);
    await connect(url).clock.advance("1d");

    expect(answers.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(3);
    expect(await running.stop()).toMatchObject({ code: 0, signal: null });
  });

  test.each([
    ["drop", /^$/],
    ["truncate", /^HTTP\/1\.1 200 OK[^]*\{"keys":\[[^]*[^}]$/],
  ] as const)("the fault %s ends the connection", async (effect, received) => {
    await using running = await startCli([], { runtime: toRuntime() });
    const { port, url } = running.ready;
    const { faults } = connect(url);
    await faults.add({ operation: "apis.listKeys", effect, when: "after", times: 1 });

    expect(await sendBytes(port, `${CALL}\r\n`)).toMatch(received);
    expect(await sendBytes(port, `${CALL}Connection: close\r\n\r\n`)).toMatch(/"total":3\}$/);
  });

  test("exec runs a program of the runtime, whose client calls latchkey", async () => {
    const runtime = toRuntime();
    const command = [...runtime, "test/runtimes/_programs/client.js"];

    const { code, stderr, stdout } = await runCli(["exec", "--", ...command], { runtime });

    expect([code, stdout]).toEqual([0, "VALID\n"]);
    expect(stderr).toBe("latchkey: 2 calls came: 2 × 200\n");
  });

  test("a call that waits in process keeps a script alive until it ends, and no longer", async () => {
    const [program = "", ...flags] = toRuntime();
    // In Deno, the import of msw alone keeps a process alive.
    const args = [...flags, "test/world/waits/_programs/plain.js", "msw"];
    const names = Object.keys(cases as object).filter((name) => !name.includes("msw"));

    const { code, stdout } = await run(program, args, process.cwd());

    expect([code, stdout.trimEnd().split("\n")]).toEqual([0, names]);
  });

  test("emulator.fetch is the handler of a server of the runtime, below a path", async () => {
    const [program = "", ...flags] = toRuntime();
    const args = [...flags, "test/runtimes/_programs/native-server.js"];

    expect(await run(program, args, process.cwd())).toMatchObject({
      code: 0,
      stdout:
        "200 \n200 VALID\n404 expected a path below /api/unkey, the basePath of this emulator\n",
    });
  });
});
