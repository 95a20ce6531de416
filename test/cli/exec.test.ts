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

test("the last line of exec tells the outcomes of calls, but not those of control routes", async () => {
  const call = (path: string) => `await fetch(process.env.LATCHKEY_URL + "${path}")`;
  const code = inModule(
    ["/v2/liveness", "/v2/apis.listKeys", "/v2/liveness", "/_latchkey/ready"].map(call).join(";"),
  );

  expect((await exec(code)).stderr).toContain("latchkey: 3 calls came: 2 × 200, 1 × 405\n");
  expect((await exec(code, "--log", "silent")).stderr).toBe("");
});

test("exec says that no call came, and why that may be", async () => {
  expect(
    (await exec(inModule(`await fetch(process.env.LATCHKEY_URL + "/_latchkey/ready")`))).stderr,
  ).toBe(
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

test.each([0, 1, 7, 255])("exec passes on exit code %i of the command", async (code) => {
  expect((await exec(`process.exit(${code})`)).code).toBe(code);
});

const EXPECTED = "latchkey: exec: expected a command behind --, like `latchkey exec -- npm test`\n";

test.each([
  [["exec"], EXPECTED],
  [["exec", "--"], EXPECTED],
  [
    ["exec", "--port", "1", "--", "true"],
    "latchkey: --port: exec does not take this option of serve; it uses a free port and prints only the output of the command\n",
  ],
  [["exec", "-p", "1", "--", "true"], "latchkey: --p: exec does not take this option of serve"],
  [
    ["exec", "--fixture", "a.yaml", "b.yaml", "--", "true"],
    "latchkey: exec: expected no word before --; put --fixture before each fixture\n",
  ],
  [
    ["exec", "--fixtur", "x", "--", "true"],
    'latchkey: --fixtur: unknown option, did you mean "fixture"?',
  ],
  [
    ["exec", "--fixture", "no-such.json", "--", "echo", "ran"],
    "no-such.json: there is no such file",
  ],
])("the command line %j is refused before the command runs", async (args, line) => {
  const { code, stdout, stderr } = await runCli(args);

  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toContain(line);
});
