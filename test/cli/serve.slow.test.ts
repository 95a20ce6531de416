import { execFile } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { createKey, listKeys } from "../_emulator.ts";
import { runCli, startBanner, startCli } from "../_cli.ts";
import { givenFolder } from "./_folder.ts";
import { givenClient, halfARequest, untilClosed } from "../_server.ts";

const DEMO = resolve("fixtures/demo.yaml");
const door = { fetch };

/** What the curl line of a banner prints. */
async function curled(banner: string) {
  const line = banner.split("\n").find((text) => text.includes("curl")) ?? "";
  const { stdout } = await promisify(execFile)("sh", ["-c", `${line} --silent`]);
  return JSON.parse(stdout);
}

describe("serve", () => {
  test("serve is the default command, and needs no options", async () => {
    await using cli = await startCli();
    const { url, port, pid, token, apis } = cli.ready;

    const { body } = await listKeys(door, { apiId: "api_local" }, { origin: url, token });

    expect(body.total).toBe(3);
    expect(url).toBe(`http://localhost:${port}`);
    expect(port).toBeGreaterThan(0);
    expect(pid).toBe(cli.child.pid);
    expect(apis).toEqual([{ id: "api_local", name: "Local", keys: 3 }]);
  });

  test("--json prints exactly one line on stdout, however many requests follow", async () => {
    await using cli = await startCli(["serve"]);
    await createKey(door, { apiId: "api_local", nope: 1 }, { origin: cli.ready.url });
    const { stdout, code } = await cli.stop();

    expect(stdout.match(/\n/g)).toHaveLength(1);
    expect(code).toBe(0);
  });

  test("the banner has version, url, token, APIs with key counts, and a curl line that works", async () => {
    await using cli = await startBanner(["-f", DEMO, "-p", "0", "--random-seed", "5"]);
    const banner = cli.output.stdout;

    expect((await curled(banner)).data[0].name).toBe("Checkout backend");
    expect(banner).toMatch(/^latchkey \d+\.\d+\.\d+\n/);
    expect(banner).toMatch(/url {4}http:\/\/localhost:\d+\n/);
    expect(banner).toMatch(/token {2}acme_admin\n/);
    expect(banner).toMatch(/seed {3}5 /);
    expect(banner).toMatch(/api_payments {2}8 keys {2}Payments\n/);
    expect(banner).toMatch(/api_internal {2}4 keys {2}Internal tools\n/);
  });

  test("the banner's curl line quotes a token with shell metacharacters", async () => {
    await using cli = await startBanner(["-p", "0", "--token", "it's$HOME`x`"]);

    expect((await curled(cli.output.stdout)).data).toHaveLength(3);
  });
});

describe("options", () => {
  test("--random-seed and --now make the same keys again, at a frozen time", async () => {
    const made = [];
    for (let run = 0; run < 2; run += 1) {
      await using cli = await startCli(["--random-seed", "9", "--now", "2026-01-01T00:00:00Z"]);
      const { body } = await createKey(door, { apiId: "api_local" }, { origin: cli.ready.url });
      const list = await listKeys(door, { apiId: "api_local" }, { origin: cli.ready.url });
      made.push({ ...body, list: list.body });
    }

    expect(made[0]).toEqual(made[1]);
    expect(made[0]?.list.keys.at(-1).createdAt).toBe(Date.UTC(2026, 0, 1));
  });

  test("--token accepts the listed tokens alone, with the permissions listed", async () => {
    await using cli = await startCli([
      "--token",
      "all==",
      "--token",
      "list=api.*.read_key, api.*.read_api",
    ]);
    const { url: origin } = cli.ready;
    const statuses = [];
    for (const token of ["all==", "list", "other"]) {
      statuses.push((await listKeys(door, { apiId: "api_local" }, { origin, token })).status);
      statuses.push((await createKey(door, { apiId: "api_local" }, { origin, token })).status);
    }

    expect(statuses).toEqual([200, 200, 200, 403, 401, 401]);
    expect(cli.ready.token).toBe("all==");
  });

  test("--log text writes a line for each request, with neither token nor query", async () => {
    await using cli = await startCli();
    const { url: origin } = cli.ready;
    await listKeys(door, { apiId: "api_local" }, { origin, token: "the_token" });
    await createKey(door, { apiId: "api_none" }, { origin, token: "the_token" });
    await createKey(door, { apiId: "api_local", nope: 1 }, { origin, token: "the_token" });
    const { stderr } = await cli.stop();

    const lines = stderr.trimEnd().split("\n");
    expect(lines).toHaveLength(4);
    expect(lines[0]).toMatch(/^\d\d:\d\d:\d\d GET \/v1\/apis\.listKeys 200 \d+\.\d ms$/);
    expect(lines[1]).toMatch(
      / POST \/v1\/keys\.createKey 404 .* NOT_FOUND \(apiId: .*\) hint: the APIs here are api_local$/,
    );
    expect(lines[2]).toBe(
      "warning: keys.createKey: nope: the service does not know this field; latchkey ignores it as well",
    );
    expect(stderr).not.toContain("the_token");
  });

  test("--log json writes JSON, --log silent nothing", async () => {
    await using json = await startCli(["--log", "json"]);
    await using silent = await startCli(["--log", "silent"]);
    for (const { ready } of [json, silent]) await listKeys(door, "", { origin: ready.url });
    const [written, unwritten] = [await json.stop(), await silent.stop()];

    expect(JSON.parse(written.stderr)).toEqual({
      time: expect.stringMatching(/^\d{4}-.*Z$/),
      kind: "request",
      method: "GET",
      path: "/v1/apis.listKeys",
      operation: "apis.listKeys",
      status: 400,
      requestId: expect.stringMatching(/^req_/),
      duration: expect.any(Number),
      code: "BAD_REQUEST",
      message: expect.stringMatching(/^apiId: /),
      faults: [],
    });
    expect(unwritten.stderr).toBe("");
  });

  test("flags win over the environment, the environment over the configuration file", async () => {
    const cwd = await givenFolder({
      "latchkey.config.yaml":
        "randomSeed: 1\nnow: 2026-01-01T00:00:00Z\nstrict: true\nfixtures: [data/world.json]\n",
      "data/world.json": '{"apis":[{"id":"api_configured"}]}',
    });
    const made = [];
    for (const [args, env] of [
      [[], {}],
      [[], { LATCHKEY_RANDOM_SEED: "2" }],
      [["--random-seed", "3"], { LATCHKEY_RANDOM_SEED: "2" }],
      [["--random-seed", "1", "--no-strict"], { LATCHKEY_NOW: "2026-01-01" }],
    ] as const) {
      await using cli = await startCli(args, { cwd, env });
      const body = { apiId: "api_configured", nope: 1 };
      const { status } = await createKey(door, body, { origin: cli.ready.url });
      const { body: key } = await createKey(
        door,
        { apiId: "api_configured" },
        { origin: cli.ready.url },
      );
      made.push({ status, id: key.keyId });
    }

    expect(made.map(({ status }) => status)).toEqual([400, 400, 400, 200]);
    expect(new Set(made.map(({ id }) => id)).size).toBe(4);
    expect(made[0]?.id.slice(0, 8)).toBe(made[3]?.id.slice(0, 8));
  });

  test("LATCHKEY_PORT wins over PORT, and --port over both", async () => {
    const port = async (args: string[], env: Record<string, string>) => {
      const { stderr } = await runCli(args, { env });
      return /LATCHKEY_PORT|PORT|--port/.exec(stderr)?.[0];
    };

    expect(await port([], { PORT: "x", LATCHKEY_PORT: "y" })).toBe("LATCHKEY_PORT");
    expect(await port([], { PORT: "x" })).toBe("PORT");
    await using cli = await startCli(["-p", "0"], { env: { PORT: "1" } });
    expect(cli.ready.port).not.toBe(1);
  });

  test("LATCHKEY_TOKEN and LATCHKEY_URL are not options of serve", async () => {
    await using cli = await startCli([], { env: { LATCHKEY_TOKEN: "x", LATCHKEY_URL: "y" } });

    const { status } = await listKeys(
      door,
      { apiId: "api_local" },
      { origin: cli.ready.url, token: "any" },
    );

    expect(status).toBe(200);
  });
});

describe("the banner", () => {
  test("the banner shows neither the token nor the API of a disabled workspace", async () => {
    const workspace = (name: string, enabled: boolean) => ({
      workspace: { id: `ws_${name}`, enabled },
      tokens: [{ token: name, permissions: ["*"] }],
      apis: [{ id: `api_${name}` }],
    });
    const fixture = { ...workspace("off", false), workspaces: [workspace("on", true)] };
    const folder = await givenFolder({ "f.json": JSON.stringify(fixture) });
    await using cli = await startBanner(["-p", "0", "-f", join(folder, "f.json")]);

    expect(cli.output.stdout).toContain("token  on\n");
    expect(cli.output.stdout).toContain('"apiId":"api_on"');
  });

  test.each([
    ["a token that is disabled", [{ token: "old", permissions: ["*"], enabled: false }]],
    ["a token that may not list keys", [{ token: "issuer", permissions: ["api.*.create_key"] }]],
  ])("the banner does not show %s", async (_, tokens) => {
    const good = {
      token: "good",
      permissions: ["api.api_b.read_key", "api.*.read_api"],
      expires: 4e12,
    };
    const fixture = {
      tokens: [...tokens, good],
      apis: [{ id: "api_bare", keyspace: false }, { id: "api_a" }, { id: "api_b" }],
    };
    const folder = await givenFolder({ "f.json": JSON.stringify(fixture) });
    await using cli = await startBanner(["-p", "0", "-f", join(folder, "f.json")]);

    expect(cli.output.stdout).toContain("token  good\n");
    expect(await curled(cli.output.stdout)).toMatchObject({
      data: [],
      pagination: { hasMore: false },
    });
  });
});

test("with several workspaces, --json prints a token that --token accepts", async () => {
  const world = (name: string) =>
    JSON.stringify({
      workspace: { id: `ws_${name}` },
      tokens: [{ token: name, permissions: ["*"] }],
      apis: [{ id: `api_${name}` }],
    });
  const cwd = await givenFolder({ "a.json": world("a"), "b.json": world("b") });
  await using cli = await startCli(["-f", "a.json", "-f", "b.json", "--token", "b"], { cwd });

  expect(cli.ready).toMatchObject({ token: "b", apis: [{ id: "api_b", keys: 0 }] });
});

test("serve goes on after its stderr is closed", async () => {
  await using cli = await startCli();
  cli.child.stderr.destroy();

  for (let count = 0; count < 5; count += 1) {
    const { status } = await listKeys(door, { apiId: "api_local" }, { origin: cli.ready.url });
    expect(status).toBe(200);
  }
  expect((await cli.stop()).code).toBe(0);
});

test("serve ends with one line and exit code 1 if its port is in use", async () => {
  const other = createServer();
  await new Promise<void>((done) => other.listen(0, "127.0.0.1", done));
  const { port } = other.address() as AddressInfo;

  const { code, stdout, stderr } = await runCli(["--port", String(port)]);
  other.close();

  expect(code).toBe(1);
  expect(stdout).toBe("");
  expect(stderr).toBe(
    `latchkey: port ${port} on localhost is in use; choose another port, or 0 for a free one\n`,
  );
});

describe("signals", () => {
  const [first, second] = halfARequest('{"apiId":"api_local"}');

  test.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)(
    "serve finishes requests in flight after %s and exits with 0",
    async (signal) => {
      await using cli = await startCli();
      const client = await givenClient(cli.ready.port, first);

      const stopped = cli.stop(signal);
      await untilClosed(cli.ready.url);
      client.socket.write(second);
      const { code, signal: killedBy } = await stopped;

      expect(client.received()).toMatch(/^HTTP\/1\.1 200 OK/);
      expect([code, killedBy]).toEqual([0, null]);
    },
  );

  test("a second SIGINT ends serve at once with exit code 130", async () => {
    await using cli = await startCli();
    await givenClient(cli.ready.port, first);

    cli.child.kill("SIGINT");
    // The port is closed once the first signal is handled.
    await untilClosed(cli.ready.url);
    const { code } = await cli.stop("SIGINT");

    expect(code).toBe(130);
  });
});
