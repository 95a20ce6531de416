import { readFile, rm } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { createKey, type Door } from "../_emulator.ts";
import { runCli, startCli, type RunOptions } from "../_cli.ts";
import { run } from "../_run.ts";
import { givenFolder } from "./_folder.ts";

const node = process.execPath;
const dist = (path: string) => JSON.stringify(pathToFileURL(resolve("dist", path)).href);
const door: Door = { fetch: (request) => fetch(request) };

const files = {
  "demo.yaml": "apis: [{ id: api_demo }]",
  "x.yaml": "apis: [{ id: api_x }]",
};

/** The text of a state file that holds one key. */
const saved = (async () => {
  const cwd = await givenFolder(files);
  await using cli = await startCli(["--state", "demo.json", "--fixture", "demo.yaml"], { cwd });
  await createKey(door, { apiId: "api_demo", name: "shown" }, { origin: cli.ready.url });
  await cli.stop();
  return readFile(join(cwd, "demo.json"), "utf8");
})();

/** A folder with the configuration of a demo, whose state file holds one key already. */
async function givenDemo(members: object = {}): Promise<string> {
  const config = { state: "demo.json", fixtures: ["demo.yaml"], ...members };
  const written = { "latchkey.config.json": JSON.stringify(config), "demo.json": await saved };
  return givenFolder({ ...files, ...written });
}

/** Creates a key in each API, and prints each status and how many keys api_demo has. */
const CREATE = `
  for (const apiId of ["api_demo", "api_x"]) {
    const { status } = await fetch(url + "/v1/keys.createKey", {
      method: "POST",
      headers: { Authorization: "Bearer " + token, "Content-Type": "application/json" },
      body: JSON.stringify({ apiId }),
    });
    console.log(apiId, status);
  }
  const list = await fetch(url + "/v1/apis.listKeys?apiId=api_demo", {
    headers: { Authorization: "Bearer " + token },
  });
  console.log("keys", (await list.json()).total);
`;

/** The log's line about an API that is not in the emulator. */
const refused = (operation: string, apis: string) =>
  `latchkey: warning: ${operation} was refused with 404 NOT_FOUND: the APIs here are ${apis}\n`;
const CREATE_REFUSED = refused("POST /v1/keys.createKey", "api_demo");

interface Start {
  readonly fixture?: string;
  readonly state?: string;
}

const toFlags = (start: Start) =>
  Object.entries(start).flatMap(([name, value]) => [`--${name}`, value]);
const toOptions = ({ fixture, ...others }: Start) => ({
  ...(fixture === undefined ? {} : { fixtures: [fixture] }),
  ...others,
});

/** Each of these runs the code against an emulator that it starts in this folder. */
const starters = {
  exec: async (start: Start, code: string, options: RunOptions) => {
    const place = "const { LATCHKEY_URL: url, LATCHKEY_TOKEN: token } = process.env;";
    const script = ["--input-type=module", "-e", place + code];
    const result = await runCli(["exec", ...toFlags(start), "--", node, ...script], options);
    // Only exec ends with a line about the calls.
    return { ...result, stderr: result.stderr.replace(/^latchkey: \d+ calls came: .*\n/m, "") };
  },

  startProcess: (start: Start, code: string, { cwd = "", env }: RunOptions) => {
    const script = `
      import { startProcess } from ${dist("node.js")};
      const { url, token, stop } = await startProcess(${JSON.stringify(toOptions(start))});
      ${code}
      await stop();
    `;
    return run(node, ["--input-type=module", "-e", script], cwd, env);
  },

  "the set-up of vitest": (start: Start, code: string, { cwd = "", env }: RunOptions) => {
    const script = `
      import { createGlobalSetup, setup } from ${dist("vitest/global-setup.js")};
      const options = ${JSON.stringify(toOptions(start))};
      const provided = {};
      const begin = Object.keys(options).length === 0 ? setup : createGlobalSetup(options);
      const project = { onTestsRerun() {}, provide(name, value) { provided[name] = value; } };
      const end = await begin(project);
      const { latchkeyUrl: url, latchkeyToken: token } = provided;
      ${code}
      await end();
    `;
    return run(node, ["--input-type=module", "-e", script], cwd, env);
  },
};

describe.each(Object.entries(starters))("with %s", (_, start) => {
  test("an emulator for tests leaves the configured state file alone", async () => {
    const cwd = await givenDemo();
    const before = await readFile(join(cwd, "demo.json"));

    const { code, stdout, stderr } = await start({ fixture: "x.yaml" }, CREATE, { cwd });

    expect(stdout.trim().split("\n")).toEqual(["api_demo 404", "api_x 200", "keys undefined"]);
    const refusals = [
      refused("POST /v1/keys.createKey", "api_x"),
      refused("GET /v1/apis.listKeys", "api_x"),
    ];
    expect([code, stderr]).toEqual([0, refusals.join("")]);
    expect(await readFile(join(cwd, "demo.json"))).toEqual(before);
    await rm(cwd, { recursive: true });
  });

  test("an emulator for tests starts from the configured fixture, not from the state file", async () => {
    const cwd = await givenDemo();
    const before = await readFile(join(cwd, "demo.json"));

    const { stdout, stderr } = await start({}, CREATE, { cwd });

    expect(stdout.trim().split("\n")).toEqual(["api_demo 200", "api_x 404", "keys 1"]);
    expect(stderr).toBe(CREATE_REFUSED);
    expect(await readFile(join(cwd, "demo.json"))).toEqual(before);
    await rm(cwd, { recursive: true });
  });
});

describe("with exec", () => {
  const start = starters.exec;

  test("an emulator for tests uses a state file that its options or LATCHKEY_STATE name", async () => {
    const cwd = await givenDemo();

    const named = await start({ state: "demo.json" }, CREATE, { cwd });
    const byVariable = await start({}, CREATE, { cwd, env: { LATCHKEY_STATE: "demo.json" } });

    expect([named.stdout, byVariable.stdout]).toEqual([
      expect.stringContaining("keys 2"),
      expect.stringContaining("keys 3"),
    ]);
    expect([named.stderr, byVariable.stderr]).toEqual([CREATE_REFUSED, CREATE_REFUSED]);
    await rm(cwd, { recursive: true });
  });

  test("an emulator for tests warns of a fixture beside an existing state file", async () => {
    const cwd = await givenDemo();

    const { stdout, stderr } = await start({ fixture: "x.yaml", state: "demo.json" }, CREATE, {
      cwd,
    });

    expect(stdout).toContain("keys 2");
    expect(stderr).toBe(
      "latchkey: warning: --state: demo.json exists, so --fixture is ignored; remove demo.json to start over\n" +
        CREATE_REFUSED,
    );
    await rm(cwd, { recursive: true });
  });

  test("an emulator for tests ignores port, log, json, watch and open that are configured", async () => {
    await using taken = createServer().listen(0, "127.0.0.1");
    await new Promise((done) => taken.once("listening", done));
    const { port } = taken.address() as AddressInfo;
    const cwd = await givenDemo({ port, log: "json", json: true, watch: true, open: true });

    // `watch` is refused beside a state, and `open` without the web page: both must be ignored.
    const env = { LATCHKEY_UI: "false" };
    const { code, stdout, stderr } = await start({ state: "demo.json" }, CREATE, { cwd, env });

    expect([code, stderr]).toEqual([0, CREATE_REFUSED]);
    expect(stdout).toContain("keys 2");
    await rm(cwd, { recursive: true });
  });
});

describe("serve", () => {
  const told = (stderr: string) => stderr.replaceAll(/^\d\d:\d\d:\d\d .*\n/gm, "");

  test("serve continues from the state file that the configuration file names", async () => {
    const cwd = await givenDemo();

    await using cli = await startCli([], { cwd });

    expect(cli.ready.apis).toEqual([{ id: "api_demo", keys: 1 }]);
    expect(told((await cli.stop()).stderr)).toBe("");
    await rm(cwd, { recursive: true });
  });

  test.each([
    ["--fixture", ["--fixture", "x.yaml"], {}],
    ["--fixture", [], { LATCHKEY_FIXTURE: "x.yaml" }],
    ["--generate", ["--generate", "2"], {}],
  ])("serve with %s warns that the configured state file is not used", async (flag, args, env) => {
    const cwd = await givenDemo();
    const before = await readFile(join(cwd, "demo.json"));

    await using cli = await startCli([...args], { cwd, env });
    const id = cli.ready.apis[0]?.id;
    await createKey(door, { apiId: id }, { origin: cli.ready.url });

    expect(cli.ready.apis).toEqual([
      flag === "--fixture" ? { id: "api_x", keys: 0 } : { id: "api_demo", keys: 2 },
    ]);
    expect(told((await cli.stop()).stderr)).toBe(
      `warning: --state: demo.json, which latchkey.config.json names, is not used, because ${flag} says what to start from\n`,
    );
    expect(await readFile(join(cwd, "demo.json"))).toEqual(before);
    await rm(cwd, { recursive: true });
  });

  test("serve --no-state neither reads nor writes the configured state file", async () => {
    const cwd = await givenDemo();
    const before = await readFile(join(cwd, "demo.json"));

    await using cli = await startCli(["--no-state"], { cwd });

    expect(cli.ready.apis).toEqual([{ id: "api_demo", keys: 0 }]);
    expect((await cli.stop()).stderr).toBe("");
    expect(await readFile(join(cwd, "demo.json"))).toEqual(before);
    await rm(cwd, { recursive: true });
  });

  test("serve warns that the fixture is not used beside an existing state file", async () => {
    const cwd = await givenDemo();

    await using cli = await startCli(["--fixture", "x.yaml", "--state", "demo.json"], { cwd });

    expect(cli.ready.apis).toEqual([{ id: "api_demo", keys: 1 }]);
    expect((await cli.stop()).stderr).toBe(
      "warning: --state: demo.json exists, so --fixture is ignored; remove demo.json to start over\n",
    );
    await rm(cwd, { recursive: true });
  });
});
