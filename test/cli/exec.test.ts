import { expect, test } from "vitest";
import { runCli } from "../_cli.ts";
import { exec, inModule, LIST, node } from "./_exec.ts";

test("exec runs the command against a ready emulator and prints only the output of the command", async () => {
  const { code, stdout, stderr } = await exec(inModule(LIST));

  expect(JSON.parse(stdout)).toEqual({
    url: expect.stringMatching(/^http:\/\/(?:localhost|127\.0\.0\.1):\d+$/),
    token: "local",
    status: 200,
  });
  expect([code, stderr]).toEqual([0, ""]);
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
  [["exec", "npm", "test"], EXPECTED],
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
