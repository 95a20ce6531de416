import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { flagsOf, serveOptions } from "../../src/cli/options/options.ts";
import { createEmulator } from "../../src/index.ts";
import { operationsOf } from "../../src/service/operations/table.ts";
import { runCli, runMain } from "../_cli.ts";
import { givenFolder } from "./_folder.ts";

async function givenFile(name: string, text: string): Promise<string> {
  return join(await givenFolder({ [name]: text }), name);
}

describe("check", () => {
  test("check reports what valid fixtures contain and exits with 0", async () => {
    const { code, stdout } = await runMain(["check", "fixtures/demo.yaml"]);

    expect([code, stdout]).toEqual([0, "ok: ws_acme with 2 APIs and 12 keys\n"]);
  });

  test("check prints the ids of keyspaces that are known before the start", async () => {
    const apis = [{ id: "api_a", keyspaceId: "ks_given" }, { id: "api_b" }];
    const given = await givenFile("given.json", JSON.stringify({ apis }));
    const fixtures = [{ apis: [...apis, { id: "api_bare", keyspace: false }] }];
    const emulator = await createEmulator({ fixtures, randomSeed: 7 });
    // A snapshot has a random seed; one of an earlier version had no ids of keyspaces.
    const early = JSON.stringify({ ...emulator.snapshot(), ...fixtures[0] });
    const snapshot = await givenFile("early.json", early);

    const checks = [await runMain(["check", given]), await runMain(["check", snapshot])];

    expect(checks.map(({ code, stdout }) => [code, ...stdout.split("\n")])).toEqual([
      [0, "ok: ws_local with 2 APIs and 0 keys", "  api_a has the keyspace ks_given", ""],
      [
        0,
        "ok: ws_local with 3 APIs and 0 keys",
        "  api_a has the keyspace ks_given",
        `  api_b has the keyspace ${emulator.apis.get("api_b")?.keyspaceId}`,
        "",
      ],
    ]);
  });

  test("check prints each problem of each file on a separate line and exits with 1", async () => {
    const wrong = await givenFile(
      "wrong.json",
      '{"keys":[{"apiId":"api_x","remaining":1.5}],"apiz":1}',
    );
    const broken = await givenFile("broken.yaml", "a: [");

    const { code, stdout, stderr } = await runMain(["check", wrong, broken, "none.json"]);

    expect(code).toBe(1);
    expect(stderr).toBe("");
    expect(stdout.trimEnd().split("\n")).toEqual([
      expect.stringContaining(`${broken}: not well-formed YAML at line 1`),
      "none.json: there is no such file",
      `${wrong}: keys[0].remaining: expected an integer, got 1.5`,
      expect.stringContaining(
        `${wrong}: apiz: unknown member, did you mean "apis"? (known: $schema`,
      ),
    ]);
  });
});

test("check names the path of a file of the package that is missing in the current folder", async () => {
  const packaged = "node_modules/latchkey/fixtures/demo.yaml";
  const folder = await givenFolder({ [packaged]: "apis: []" });

  const { stdout } = await runMain(["check", "fixtures/demo.yaml"], { cwd: folder });

  expect(stdout).toBe(`fixtures/demo.yaml: there is no such file; did you mean ${packaged}?\n`);
});

test("check warns of names in keys that are close to a listed one, and exits with 0", async () => {
  const key = { apiId: "api_a" };
  const fixture = {
    apis: [{ id: "api_a" }],
    permissions: ["orders.export"],
    identities: [{ externalId: "globex" }, { externalId: "user_1" }],
    roles: [{ name: "reader", permissions: ["orders.read"] }, { name: "team_1" }],
    keys: [
      { ...key, roles: ["reader", "team_2", "auditor"], permissions: ["orders.read", "new.one"] },
      { ...key, roles: ["raeder"], permissions: ["orders.exprt"], externalId: "globexx" },
      { ...key, roles: ["raeder"], permissions: ["orders.raed"], externalId: "user_2" },
    ],
  };
  const file = await givenFile("roles.json", JSON.stringify(fixture));

  const { code, stderr, stdout } = await runMain(["check", file]);

  expect(code).toBe(0);
  expect(stdout).toBe("ok: ws_local with 1 API and 3 keys\n");
  expect(stderr.trimEnd().split("\n")).toEqual([
    `latchkey: warning: ${file}: keys[1].externalId: "globexx" belongs to no listed identity, so one is created; did you mean "globex"?`,
    `latchkey: warning: ${file}: keys[1].roles[0]: "raeder" is no listed role, so it is created without permissions; did you mean "reader"?`,
    `latchkey: warning: ${file}: keys[1].permissions[0]: "orders.exprt" is no permission of a role or a list, so it is created; did you mean "orders.export"?`,
    `latchkey: warning: ${file}: keys[2].permissions[0]: "orders.raed" is no permission of a role or a list, so it is created; did you mean "orders.read"?`,
  ]);
});

test("check warns of permissions of tokens that grant nothing", async () => {
  const permissions = [
    "*",
    "identity.id_1.read_identity",
    "project.*.read_project",
    "unkey:v1:ws_local:**#*",
    "unkey:v1:ws_local:keyspaces/*/keys/*#verify_key",
    "unkey:v1:ws_local:projects/p/rbac/**#write",
    "unkey:v1:ws_local:keyspaces/ks#create_key",
  ];
  const useless = [
    [
      "api.*.read_keys",
      'is no permission of the service, and grants nothing; did you mean "api.*.read_key"?',
    ],
    ["api.*.paint_key", "is no permission of the service, and grants nothing"],
    [
      "unkey:v1:ws_other:**#*",
      'is for the workspace "ws_other", and the token belongs to ws_local',
    ],
    ["unkey:v1:ws_local:projects/*/apps/*#read", "is needed by no built-in operation"],
    ["unkey:v1:ws_local:keyspaces/*/keys/*#*", "is no URN that latchkey understands"],
    ["unkey:v1:ws_local:keyspaces/ks_*#read", "is no URN that latchkey understands"],
  ] as const;
  const token = "a_token_of_the_fixture";
  const tokens = [{ token, permissions: [...permissions, ...useless.map(([name]) => name)] }];
  const file = await givenFile("useless.json", JSON.stringify({ tokens }));

  const { code, stderr } = await runMain(["check", file]);

  expect(code).toBe(0);
  expect(stderr.trimEnd().split("\n")).toEqual(
    useless.map(([name, text], index) => {
      const place = `tokens[0].permissions[${permissions.length + index}]`;
      const line = `latchkey: warning: ${file}: ${place}: "${name}" ${text}`;
      return expect.stringContaining(line);
    }),
  );
});

test("check warns of tokens and key values that are too short to be masked, and does not show them", async () => {
  const fixture = {
    apis: [{ id: "api_a" }],
    tokens: [{ token: "tok12" }, { token: "token6" }],
    keys: [{ apiId: "api_a", key: "val12" }, { apiId: "api_a", key: "value6" }, { apiId: "api_a" }],
  };
  const file = await givenFile("short.json", JSON.stringify(fixture));

  const { code, stderr, stdout } = await runMain(["check", file]);

  const why =
    "has fewer than 6 characters, so the log and the journal show it: only longer ones are masked";
  expect(code).toBe(0);
  expect(stdout).toBe("ok: ws_local with 1 API and 3 keys\n");
  expect(stderr.trimEnd().split("\n")).toEqual([
    `latchkey: warning: ${file}: tokens[0].token: ${why}`,
    `latchkey: warning: ${file}: keys[0].key: ${why}`,
  ]);
});

test("check prints one line for many keys with the same mistake", async () => {
  const keys = Array.from({ length: 250 }, (_, index) => ({
    apiId: "api_a",
    key: `k${index}`,
    expires: 1_790_000_000,
  }));
  const file = await givenFile("many.json", JSON.stringify({ apis: [{ id: "api_a" }], keys }));

  const { code, stderr } = await runMain(["check", file]);

  expect(code).toBe(0);
  expect(stderr.trimEnd().split("\n")).toEqual([
    expect.stringMatching(/keys\[0\].*\(and 249 more\)$/),
    expect.stringMatching(/keys\[0\]\.key: has fewer than 6 .*\(and 249 more\)$/),
  ]);
});

test("openapi prints the OpenAPI document of the emulated operations", async () => {
  const { code, stdout } = await runMain(["openapi"]);

  const document = JSON.parse(stdout);
  expect(code).toBe(0);
  expect(document.openapi).toBe("3.1.0");
  expect(Object.keys(document.paths).toSorted()).toEqual(
    operationsOf(["v2"])
      .map(({ contract }) => contract.path)
      .toSorted(),
  );
});

test("the help of exec says how it is called, with examples", async () => {
  const { stdout } = await runCli(["exec", "--help"]);

  expect(stdout).toMatch(/^latchkey exec \[options\] -- <command>\n\nstart the emulator on a free/);
  expect(stdout).toContain("latchkey exec -- npm test");
  expect(stdout).toContain("Data and time:");
  // It always takes a free port, and leaves standard input and output to its command.
  for (const flag of ["--port", "--json", "--exit-with-stdin"]) expect(stdout).not.toContain(flag);
});

test("--help names every command and every option", async () => {
  const { code, stdout } = await runCli(["--help"]);

  expect(code).toBe(0);
  for (const command of ["serve", "check", "openapi"])
    expect(stdout).toContain(`latchkey ${command}`);
  for (const flag of flagsOf(serveOptions)) expect(stdout).toContain(`--${flag}`);
});

test("--help names the form of a value that is no plain text", async () => {
  const options = Object.fromEntries(
    (await runCli(["--help"])).stdout
      .split(/\n(?= +(?:-\w, )?--)/)
      .map((text) => [/--([\w-]+)/.exec(text)?.[1], text.replaceAll(/\s+/g, " ")]),
  );

  expect(options["now"]).toMatch(/ \[the real time\] \[time\]$/);
  expect(options["state"]).toMatch(/ \[file\]$/);
  expect(options["host"]).toMatch(/ \[string\]$/);
});
