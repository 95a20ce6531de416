import { execFileSync, spawnSync } from "node:child_process";
import { openSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { mergeOptions } from "../../src/cli/options/read-options.ts";
import { cleanEnv, runCli } from "../_cli.ts";
import { givenFolder } from "./_folder.ts";

const BIN = resolve("bin/latchkey.js");

describe("variables", () => {
  test("variables of a Service or a linked container are left alone", async () => {
    const tcp = "tcp://10.96.1.5:4010";
    const env = {
      LATCHKEY_PORT: tcp,
      LATCHKEY_SERVICE_HOST: "10.96.1.5",
      LATCHKEY_SERVICE_PORT: "4010",
      LATCHKEY_SERVICE_PORT_HTTP: "4010",
      LATCHKEY_PORT_4010_TCP: tcp,
      LATCHKEY_PORT_4010_TCP_ADDR: "10.96.1.5",
      LATCHKEY_DEMO_PORT: tcp,
      LATCHKEY_DEMO_SERVICE_HOST: "10.96.1.6",
      LATCHKEY_NAME: "/web/latchkey",
      LATCHKEY_ENV_NODE_VERSION: "24",
      LATCHKEY_LOG: "",
    };

    expect(await mergeOptions({}, env)).toEqual({ explicitSeeding: [], unused: [] });
    expect(await mergeOptions({}, { ...env, PORT: "4020" })).toMatchObject({ port: 4020 });
  });

  test("a variable that a flag overrides is not checked, and an unknown one is one warning", async () => {
    const env = { LATCHKEY_PORT: "abc", LATCHKEY_PROT: "1", LATCHKEY_FIXTURE: "a.yaml" };

    const { unused, ...options } = await mergeOptions({ port: "1" }, env);

    expect(options).toMatchObject({ port: 1, fixtures: ["a.yaml"] });
    expect(unused).toEqual([
      expect.stringMatching(
        /^LATCHKEY_PROT is ignored: unknown variable, did you mean "LATCHKEY_PORT"\?/,
      ),
    ]);
    await expect(mergeOptions({}, env)).rejects.toThrow("LATCHKEY_PORT: expected an integer");
  });

  test("generate checks only the variables that it reads", async () => {
    const env = { LATCHKEY_PORT: "abc", LATCHKEY_RANDOM_SEED: "-1", LATCHKEY_SEED: "1" };
    const args = ["generate", "--count", "1"];

    const wrong = await runCli(args, { env });
    const right = await runCli([...args, "--random-seed", "1"], { env });

    expect([wrong.code, right.code]).toEqual([2, 0]);
    expect(wrong.stderr).toContain("latchkey: LATCHKEY_RANDOM_SEED: expected an integer");
    expect(right.stderr).toMatch(
      /^latchkey: warning: LATCHKEY_SEED is ignored: .*\nlatchkey: wrote/,
    );
  });
});

test("a configuration in a format that is not read is refused", async () => {
  const cwd = await givenFolder({ "latchkey.config.ts": "export default {};" });

  const { code, stderr } = await runCli([], { cwd });

  expect([code, stderr]).toEqual([
    2,
    "latchkey: latchkey.config.ts: expected latchkey.config.json, .yaml or .yml; no other format is read\n",
  ]);
});

test("a current folder that was removed has no configuration", async () => {
  const cwd = await givenFolder();
  const script = `rmdir "$PWD" && exec "$0" "$1" exec -- "$0" --version`;

  const ended = spawnSync("sh", ["-c", script, process.execPath, BIN], { cwd, env: cleanEnv() });

  expect([String(ended.stderr), ended.status]).toEqual([expect.not.stringContaining("bug"), 0]);
});

test.each([["openapi"], ["--help"], ["exec", "--", "true"]])(
  "output that cannot be written makes the exit code 1: %s",
  (...args) => {
    const full = openSync("/dev/full", "w");
    const isExec = args[0] === "exec";

    const ended = spawnSync(process.execPath, [BIN, ...args], {
      stdio: ["ignore", isExec ? "pipe" : full, isExec ? full : "pipe"],
      env: cleanEnv(),
    });

    expect(ended.status).toBe(1);
    if (!isExec)
      expect(String(ended.stderr)).toMatch(/^latchkey: the output cannot be written: ENOSPC/m);
  },
);

test("output whose reader has ended is no failure", () => {
  const script = `"$0" "$1" openapi | head -c 1; echo " \${PIPESTATUS[0]}"`;

  const printed = execFileSync("bash", ["-c", script, process.execPath, BIN], { encoding: "utf8" });

  expect(printed).toBe("{ 0\n");
});

const canMount = spawnSync("unshare", ["-m", "true"]).status === 0;

test.skipIf(!canMount)("--state refuses a file that is mounted by itself", async () => {
  const folder = await givenFolder({ "in/s 1.json": "", "out.json": "" });
  const script = `mount --bind out.json "in/s 1.json" && exec "$0" "$1" --port 0 --state "in/s 1.json"`;
  const args = ["-m", "sh", "-c", script, process.execPath, BIN];

  const ended = spawnSync("unshare", args, { cwd: folder, env: cleanEnv() });

  expect(ended.status).toBe(2);
  expect(String(ended.stderr)).toBe(
    `latchkey: --state: in/s 1.json: it is mounted by itself, so a save cannot replace it; mount its folder ${join(folder, "in")} instead\n`,
  );
});

test("a terminal shows the first 50 of very many problems", async () => {
  const keys = Array.from({ length: 1_000 }, () => ({ apiId: 1 }));
  const cwd = await givenFolder({ "a.json": JSON.stringify({ keys }) });

  const { stderr } = await runCli(["-f", "a.json"], { cwd });
  const checked = await runCli(["check", "a.json"], { cwd });

  expect(stderr.split("\n")).toHaveLength(52);
  expect(stderr).toContain("\nlatchkey: and 950 more\n");
  expect(checked.stdout.split("\n")).toHaveLength(1_001);
});
