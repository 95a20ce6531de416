import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { connect } from "../../src/control/client/connect.ts";
import { startProcess } from "../../src/node.ts";
import { createGlobalSetup } from "../../src/cli/vitest-global-setup.ts";
import { runCli, startBanner, startCli, startUntil } from "../_cli.ts";
import { givenFolder } from "./_folder.ts";

const reader = { token: "reader", permissions: ["api.*.read_key", "api.*.read_api"] };
const ops = { token: "ops", permissions: ["latchkey.control"] };
const root = { token: "root", permissions: ["*"] };
const apis = [{ id: "api_one" }];
const GIVEN = "given_control_token";
const MADE = /^control_[0-9a-f]{32}$/;

async function givenFixture(tokens: readonly object[]): Promise<string> {
  return join(
    await givenFolder({ "fixture.json": JSON.stringify({ tokens, apis }) }),
    "fixture.json",
  );
}

async function statusOf(url: string, token?: string): Promise<number> {
  const headers: Record<string, string> = token ? { Authorization: `Bearer ${token}` } : {};
  return (await fetch(`${url}/_latchkey/clock`, { headers })).status;
}

/** The members of the fragment of the page's link. */
function linkOf(banner: string): Record<string, string> {
  const [, link = ""] = /^ {2}page {3}(\S+)$/m.exec(banner) ?? [];
  return Object.fromEntries(new URLSearchParams(new URL(link).hash.slice(1)));
}

const controlLine = (banner: string) => /^ {2}control {2}(.*)$/m.exec(banner)?.[1];

test("--json prints a random control token if no listed token may use control routes", async () => {
  await using cli = await startCli(["--fixture", await givenFixture([reader])]);
  const { controlToken, token, url } = cli.ready;

  expect(token).toBe("reader");
  expect(controlToken).toMatch(MADE);
  expect([
    await statusOf(url),
    await statusOf(url, token),
    await statusOf(url, controlToken),
  ]).toEqual([401, 403, 200]);
  expect((await cli.stop()).stderr).not.toContain(controlToken);
});

test("the banner prints the random control token, and its link passes it to the web page", async () => {
  const fixture = await givenFixture([reader]);
  await using cli = await startBanner(["--port=0", "--fixture", fixture]);
  const { stdout } = cli.output;

  const link = linkOf(stdout);
  expect(link).toEqual({ token: "reader", control: expect.stringMatching(MADE) });
  expect(controlLine(stdout)).toBe(
    `${link["control"]} (control token, because no listed token may use control routes)`,
  );
});

test.each([
  ["the listed token has access", [reader, root], [], "root", { token: "root" }],
  ["a second token has access", [reader, ops], [], "reader", { token: "reader", control: "ops" }],
  ["each token has its own workspace", [], ["--isolate"], "local", {}],
] as const)("no random control token is made if %s", async (_, tokens, flags, token, expected) => {
  const fixture = await givenFixture(tokens);
  await using cli = await startBanner(["--port=0", "--fixture", fixture, ...flags]);
  await using json = await startCli(["--fixture", fixture, ...flags]);

  expect(linkOf(cli.output.stdout)).toEqual(expected);
  expect(controlLine(cli.output.stdout)).toBeUndefined();
  expect(json.ready).toMatchObject({ token });
  expect(json.ready).not.toHaveProperty("controlToken");
});

test.each([
  ["a flag", { args: ["--control-token", GIVEN] }],
  ["an environment variable", { env: { LATCHKEY_CONTROL_TOKEN: GIVEN } }],
  ["the configuration file", { config: `{"controlToken":"${GIVEN}"}` }],
])("a control token from %s is required and never printed", async (_, by) => {
  const { args = [], config, env = {} } = by as { args?: string[]; config?: string; env?: object };
  const cwd = await givenFolder(config === undefined ? {} : { "latchkey.config.json": config });
  const options = { cwd, env: env as Record<string, string> };
  await using json = await startCli(args, options);
  await using cli = await startUntil(/curl .*\n/, ["--port=0", ...args], options);
  const { token, url } = json.ready;

  expect(json.ready).not.toHaveProperty("controlToken");
  expect([await statusOf(url), await statusOf(url, token), await statusOf(url, GIVEN)]).toEqual([
    401, 401, 200,
  ]);
  expect(controlLine(cli.output.stdout)).toBe("the control routes need the control token");
  for (const { stderr, stdout } of [await cli.stop(), await json.stop()]) {
    expect(stdout + stderr).not.toContain(GIVEN);
  }
});

test("the banner of a server beyond loopback says who may use control routes", async () => {
  const port = ["--host", "0.0.0.0", "--port=0"];
  await using open = await startBanner(port);
  await using near = await startBanner(["--port=0"]);
  await using given = await startBanner([...port, "--control-token", GIVEN]);
  await using listed = await startBanner([...port, "--token", "root"]);
  await using without = await startBanner([...port, "--no-control"]);

  expect(controlLine(open.output.stdout)).toBe(
    "control routes answer this machine only; set --control-token for other machines",
  );
  expect(controlLine(given.output.stdout)).toBe("the control routes need the control token");
  for (const { output } of [near, listed, without])
    expect(controlLine(output.stdout)).toBeUndefined();
});

test.each([
  [["--control-token", "two words"], "--control-token: expected a token of 1 to 512 visible ASCII"],
  [
    ["--control-token", "same", "--token", "same"],
    "controlToken: expected a token that is not among",
  ],
])("%j is refused without printing the token", async (args, line) => {
  const { code, stderr, stdout } = await runCli(args);

  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toContain(line);
  expect(stderr).not.toMatch(/two words|same/);
});

const print = ["--", process.execPath, "-p", "process.env.LATCHKEY_CONTROL_TOKEN"];

test("exec passes a given or random control token, if any, to its command", async () => {
  const fixture = ["--fixture", await givenFixture([reader])];

  const [made, given, none, without] = await Promise.all([
    runCli(["exec", ...fixture, ...print]),
    runCli(["exec", "--control-token", GIVEN, ...print]),
    runCli(["exec", ...print]),
    runCli(["exec", "--no-control", ...fixture, ...print]),
  ]);

  expect(made?.stdout.trim()).toMatch(MADE);
  expect(given?.stdout).toBe(`${GIVEN}\n`);
  expect(none?.stdout).toBe("undefined\n");
  expect(without?.stdout).toBe("undefined\n");
  const unused = {
    code: 0,
    stderr: expect.stringMatching(/^latchkey: warning: no call came: .*\n$/),
  };
  for (const result of [made, given, none]) expect(result).toMatchObject(unused);
});

test("startProcess returns the given or random control token, or undefined if there is none", async () => {
  const made = await startProcess({ fixtures: [await givenFixture([reader])] });
  onTestFinished(made.stop);
  const given = await startProcess({ controlToken: GIVEN });
  onTestFinished(given.stop);
  const none = await startProcess();
  onTestFinished(none.stop);

  expect(await statusOf(made.url, made.controlToken)).toBe(200);
  expect(made.controlToken).toMatch(MADE);
  expect([given.controlToken, none.controlToken]).toEqual([GIVEN, undefined]);
});

/** The environment of a command that `latchkey exec` runs. */
const exec = {
  LATCHKEY_URL: "http://localhost:1",
  LATCHKEY_TOKEN: "local",
  LATCHKEY_CONTROL_TOKEN: "control_of_exec",
};

function stubEnv(env: Record<string, string>): void {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
}

test("startProcess returns the control token of the configuration file or the environment", async () => {
  const before = process.cwd();
  process.chdir(await givenFolder({ "latchkey.config.json": `{"controlToken":"${GIVEN}"}` }));
  onTestFinished(() => process.chdir(before));
  const configured = await startProcess();
  onTestFinished(configured.stop);
  stubEnv({ LATCHKEY_CONTROL_TOKEN: "of_the_variable" });
  const byVariable = await startProcess();
  onTestFinished(byVariable.stop);

  expect([configured.controlToken, byVariable.controlToken]).toEqual([GIVEN, "of_the_variable"]);
  expect(await statusOf(byVariable.url, "of_the_variable")).toBe(200);
});

test("an emulator started within exec ignores the control token of exec", async () => {
  stubEnv(exec);
  const none = await startProcess();
  onTestFinished(none.stop);
  const given = await startProcess({ controlToken: GIVEN });
  onTestFinished(given.stop);
  await using served = await startCli([], { env: exec });
  await using flagged = await startCli(["--control-token", GIVEN], { env: exec });

  expect([none.controlToken, given.controlToken]).toEqual([undefined, GIVEN]);
  expect([await statusOf(none.url), await statusOf(served.ready.url)]).toEqual([200, 200]);
  for (const { url } of [given, flagged.ready]) {
    expect([await statusOf(url), await statusOf(url, GIVEN)]).toEqual([401, 200]);
  }
  expect((await served.stop()).stderr).toMatch(
    /^warning: LATCHKEY_CONTROL_TOKEN is not used, because with LATCHKEY_URL beside it/,
  );
  expect((await flagged.stop()).stderr).not.toContain("is not used");
});

const procTest = process.platform === "linux" ? test : test.skip;

procTest("startProcess keeps the control token out of its process's command line", async () => {
  const { pid, stop } = await startProcess({ controlToken: GIVEN });
  onTestFinished(stop);

  const args = await readFile(`/proc/${pid}/cmdline`, "utf8");
  expect(args).toContain("serve");
  expect(args).not.toContain(GIVEN);
});

test("vitest's global set-up provides the control token, and resets before tests run again", async () => {
  const provided: Record<string, unknown> = {};
  const provide = (name: string, value: unknown) => void (provided[name] = value);
  let rerun: () => unknown = () => {};
  const stop = await createGlobalSetup({ fixtures: [await givenFixture([reader])] })({
    provide: provide as never,
    onTestsRerun: (run) => void (rerun = run as typeof rerun),
  });
  onTestFinished(stop);

  expect(provided).toEqual({
    latchkeyUrl: expect.any(String),
    latchkeyToken: "reader",
    latchkeyControlToken: expect.stringMatching(MADE),
  });
  const { latchkeyControlToken: token, latchkeyUrl: url } = provided;
  expect(await statusOf(String(url), String(token))).toBe(200);
  expect(process.env["NO_PROXY"]).toContain("127.0.0.1");
  const { requests } = connect(String(url), { token: String(token) });
  await fetch(`${String(url)}/v2/apis.listKeys`, { method: "POST" });
  expect(await requests.count()).toBe(1);
  await rerun();
  expect(await requests.count()).toBe(0);
});

test("--watch warns if a changed fixture leaves no listed token for control routes", async () => {
  const fixture = await givenFixture([root]);
  await using cli = await startCli(["--fixture", fixture, "--watch"]);

  await writeFile(fixture, JSON.stringify({ tokens: [reader], apis }));

  await expect
    .poll(() => cli.output.stderr)
    .toContain("--watch: no listed token may use control routes: list one with the permission");
  expect(await statusOf(cli.ready.url, "reader")).toBe(403);
});
