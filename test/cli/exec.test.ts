import { expect, test } from "vitest";
import { runCli } from "../_cli.ts";
import { exec, inModule, LIST, node } from "./_exec.ts";

test("exec runs the command against a ready emulator, and ends with a line about its calls", async () => {
  const { code, stdout, stderr } = await exec(inModule(LIST));

  expect(JSON.parse(stdout)).toEqual({
    url: expect.stringMatching(/^http:\/\/(?:localhost|127\.0\.0\.1):\d+$/),
    token: "local",
    status: 200,
  });
  expect([code, stderr]).toEqual([0, "latchkey: 1 call came: 1 × 200\n"]);
});

test("exec takes the options of serve", async () => {
  const { stdout, stderr } = await exec(
    inModule(LIST),
    "--token",
    "secret",
    "--log",
    "text",
    "--fixture",
    "fixtures/small.json",
  );

  expect(JSON.parse(stdout)).toMatchObject({ token: "secret", status: 200 });
  expect(stderr).toMatch(/GET \/v1\/apis\.listKeys 200/);
});

test("the last line of exec shows the outcomes of calls, but not of control routes", async () => {
  const call = (path: string) => `await fetch(process.env.LATCHKEY_URL + "${path}")`;
  const code = inModule(
    ["/v2/liveness", "/v2/apis.listKeys", "/v2/liveness", "/_latchkey/ready"].map(call).join(";"),
  );

  expect((await exec(code)).stderr).toContain("latchkey: 3 calls came: 2 × 200, 1 × 405\n");
  expect((await exec(code, "--log", "silent")).stderr).toBe("");
});

test("exec passes on the exit code of the command, and says that no call came, and why that may be", async () => {
  const { code, stderr } = await exec("process.exit(7)");

  expect(code).toBe(7);
  expect(stderr).toBe(
    "latchkey: warning: no call came: the program does not call LATCHKEY_URL, or it does not get that variable (Turborepo's strict mode, tox, Bazel and sudo drop variables), so its calls may have gone to the real service; see docs/troubleshooting.md\n",
  );
});

test("exec passes all arguments after -- to the command", async () => {
  const { stdout, code } = await runCli([
    "exec",
    "--",
    node,
    "-p",
    "process.argv.slice(1).join(' ')",
    "--",
    "--port=zero",
    "--help",
    "--",
    "--log",
  ]);

  expect([code, stdout]).toEqual([0, "--port=zero --help -- --log\n"]);
});

test("exec refuses a wrong option before the command runs", async () => {
  const { code, stdout, stderr } = await exec("console.log(1)", "--fixture", "no-such.json");

  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toBe("latchkey: no-such.json: there is no such file\n");
});
