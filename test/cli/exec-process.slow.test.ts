import { chmod, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runCli, startUntil } from "../_cli.ts";
import { exec, inModule, LIST, node } from "./_exec.ts";
import { givenFolder } from "./_folder.ts";

test("exec does not pass npm_lifecycle_script to the command", async () => {
  const script = "latchkey exec -- npm test";
  const print = ["exec", "--", node, "-p", "process.env.npm_lifecycle_script"];

  const { stdout } = await runCli(print, { env: { npm_lifecycle_script: script } });

  expect(stdout).toBe("undefined\n");
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
