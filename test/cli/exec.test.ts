import { chmod, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runCli, startUntil } from "../_cli.ts";
import { givenFolder } from "./_folder.ts";

const node = process.execPath;
const exec = (code: string, ...options: string[]) =>
  runCli(["exec", ...options, "--", node, "-e", code]);

const LIST = `
  const { LATCHKEY_URL: url, LATCHKEY_TOKEN: token } = process.env;
  const response = await fetch(url + "/v1/apis.listKeys?apiId=api_local", {
    headers: { Authorization: "Bearer " + token },
  });
  console.log(JSON.stringify({ url, token, status: response.status }));
`;
const inModule = (code: string) =>
  `import("data:text/javascript," + ${JSON.stringify(encodeURIComponent(code))})`;

test("exec runs the command against a ready emulator and prints only the output of the command", async () => {
  const { code, stdout, stderr } = await exec(inModule(LIST));

  expect(JSON.parse(stdout)).toEqual({
    url: expect.stringMatching(/^http:\/\/(?:localhost|127\.0\.0\.1):\d+$/),
    token: "local",
    status: 200,
  });
  expect([code, stderr]).toEqual([0, ""]);
});

test("exec does not pass npm_lifecycle_script to the command", async () => {
  const script = "latchkey exec -- npm test";
  const print = ["exec", "--", node, "-p", "process.env.npm_lifecycle_script"];

  const { stdout } = await runCli(print, { env: { npm_lifecycle_script: script } });

  expect(stdout).toBe("undefined\n");
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

test("two runs of exec at once use two ports", async () => {
  const print = "console.log(process.env.LATCHKEY_URL)";
  const [one, two] = await Promise.all([exec(print), exec(print)]);

  expect(one?.stdout).toMatch(/^http/);
  expect(one?.stdout).not.toBe(two?.stdout);
});

test("exec ignores LATCHKEY_PORT, PORT, LATCHKEY_URL and LATCHKEY_TOKEN", async () => {
  const env = {
    LATCHKEY_PORT: "1",
    PORT: "tcp://192.0.2.1:80",
    LATCHKEY_URL: "x",
    LATCHKEY_TOKEN: "x",
  };

  const { stdout } = await runCli(["exec", "--", node, "-e", inModule(LIST)], { env });

  expect(JSON.parse(stdout)).toMatchObject({ token: "local", status: 200 });
});

test.each([0, 1, 7, 255])("exec passes on exit code %i of the command", async (code) => {
  expect((await exec(`process.exit(${code})`)).code).toBe(code);
});

test("exec passes its standard input to the command", async () => {
  const read = "process.stdin.on('data', (data) => process.stdout.write('got ' + data))";
  const running = await startUntil(/got line/, ["exec", "--", node, "-e", read], {
    input: "line\n",
  });

  expect((await running.finished).code).toBe(0);
});

test("the emulator of exec stops when the command ends", async () => {
  const { stdout } = await exec("console.log(process.env.LATCHKEY_URL)");

  await expect(fetch(stdout.trim())).rejects.toThrow();
});

test("exec exits with 128 plus the signal's number if a signal kills the command", async () => {
  expect((await exec("process.kill(process.pid, 'SIGKILL')")).code).toBe(137);
  expect((await exec("process.kill(process.pid, 'SIGTERM')")).code).toBe(143);
});

test.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)("the command receives %s", async (signal) => {
  const wait = `
    process.on("${signal}", () => { console.log("got it"); process.exit(5); });
    setInterval(() => {}, 1000);
    console.log("ready", process.pid);
  `;
  await using running = await startUntil(/ready \d+\n/, ["exec", "--", node, "-e", wait]);
  const pid = Number(/ready (\d+)/.exec(running.output.stdout)?.[1]);

  const { code, stdout } = await running.stop(signal);

  expect([code, stdout]).toEqual([5, `ready ${pid}\ngot it\n`]);
  expect(() => process.kill(pid, 0)).toThrow("ESRCH");
});

test("exec keeps serving after a signal until the command has ended", async () => {
  const wait = `
    process.on("SIGTERM", () => setTimeout(() => {
      fetch(process.env.LATCHKEY_URL).then(({ status }) => { console.log(status); process.exit(0); });
    }, 300));
    setInterval(() => {}, 1000);
    console.log("ready");
  `;
  await using running = await startUntil(/ready\n/, ["exec", "--", node, "-e", wait]);

  const { code, stdout } = await running.stop("SIGTERM");

  expect([code, stdout]).toEqual([0, "ready\n200\n"]);
});

test("exec exits with 127 for a missing command and 126 for one that is not executable", async () => {
  const folder = await givenFolder();
  const file = join(folder, "file");
  await writeFile(file, "text");
  await chmod(file, 0o600);
  try {
    expect(await runCli(["exec", "--", "no-such-command"])).toMatchObject({
      code: 127,
      stderr: "latchkey: exec: no-such-command: there is no such command\n",
    });
    expect(await runCli(["exec", "--", join(file, "below")])).toMatchObject({
      code: 127,
      stderr: `latchkey: exec: ${join(file, "below")}: there is no such command\n`,
    });
    expect(await runCli(["exec", "--", file])).toMatchObject({
      code: 126,
      stderr: `latchkey: exec: ${file}: permission denied\n`,
    });
  } finally {
    await rm(folder, { recursive: true });
  }
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
])("%j is refused before the command runs", async (args, line) => {
  const { code, stdout, stderr } = await runCli(args);

  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toContain(line);
});
