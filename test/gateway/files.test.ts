import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readGateway } from "../../src/cli/gateway.ts";
import { givenFolder } from "../cli/_folder.ts";
import { givenEmulator } from "../_emulator.ts";
import { ofService, route } from "./_files.ts";
import { orders } from "./_gateway.ts";
import { givenProgram } from "./_program.ts";

const variables = {
  UNKEY_API_URL: "https://api.unkey.com",
  UNKEY_ROOT_KEY: "root",
  UNKEY_KEYSPACE_ID: "ks_orders",
};

async function read(text: string, name = "gateway.toml", env: Record<string, string> = variables) {
  const file = join(await givenFolder({ [name]: text }), name);
  const lines = await readGateway(file, env).then(
    ({ warnings }) => warnings,
    (error: { problems: readonly string[] }) => error.problems,
  );
  return lines.map((line) => line.replace(`${file}: `, ""));
}

test("a file like that of the service's docs is read, with a warning that api_url is not called", async () => {
  const file = join(await givenFolder({ "gateway.toml": ofService }), "gateway.toml");

  const { warnings, port } = await readGateway(file, variables);
  expect(port).toBe(8080);
  expect(warnings).toEqual([
    `${file}: local-dev.api_url: it is not called, because this gateway verifies keys with latchkey`,
  ]);
});

test.each<[string, string, readonly (string | RegExp)[]]>([
  [
    "a policy that does not say enabled",
    route('{ id = "a", keyauth = {} }'),
    ["local-dev.routes[0].policies[0]: it is skipped, because it has no `enabled = true`"],
  ],
  [
    "openapi",
    route('{ id = "a", enabled = true, openapi = {} }', 'openapi_spec = "a.json"'),
    ["local-dev.routes[0].policies[0].openapi: it has no effect here"],
  ],
])("a warning names %s", async (_, text, lines) => {
  expect(await read(text)).toEqual(lines);
});

test.each<[string, string, readonly unknown[]]>([
  ["invalid TOML", "[local-dev", ["not well-formed TOML at line 1, column 2"]],
  ["no content", "", ["local-dev: expected an object, got nothing"]],
  [
    "neither routes nor a root key",
    "[local-dev]",
    [
      expect.stringMatching(/^local-dev\.root_key: expected a token/),
      expect.stringMatching(/^local-dev\.routes: expected an array of routes/),
    ],
  ],
  [
    "routes without host and upstream",
    '[local-dev]\nroot_key = "a"\n[[local-dev.routes]]',
    [
      expect.stringMatching(/^local-dev\.routes\[0\]\.hostname: expected/),
      expect.stringMatching(/^local-dev\.routes\[0\]\.upstream: expected/),
    ],
  ],
  [
    "an upstream with a scheme",
    route("").replace("localhost:3000", "http://localhost:3000"),
    [
      'local-dev.routes[0].upstream: expected a host and a port, like localhost:3000, got "http://localhost:3000"',
    ],
  ],
  [
    "two routes of one host",
    `${route("")}[[local-dev.routes]]\nhostname = "A.TEST"\nupstream = "localhost:1"`,
    ['local-dev.routes[1].hostname: expected a host that no other route has, got "a.test"'],
  ],
  [
    "a host with a scheme, and an unsupported protocol",
    route("", 'protocol = "h2c"').replace("a.test", "http://a.test"),
    [
      'local-dev.routes[0].hostname: expected the name of a host, without a port, got "http://a.test"',
      'local-dev.routes[0].protocol: expected "http1", got "h2c"',
    ],
  ],
  [
    "a policy with two kinds",
    route('{ id = "a", enabled = true, keyauth = {}, firewall = {} }'),
    [
      expect.stringMatching(
        /^local-dev\.routes\[0\]\.policies\[0\]: expected exactly one of keyauth/,
      ),
    ],
  ],
  [
    "a condition with two members",
    route('{ id = "a", enabled = true, keyauth = {}, match = [{ path = {}, method = {} }] }'),
    [
      "local-dev.routes[0].policies[0].match[0]: expected at most one of path, method, header, queryParam, got an object",
    ],
  ],
  [
    "a policy without an id",
    route("{ enabled = true, firewall = {} }"),
    ["local-dev.routes[0].policies[0].id: expected an id"],
  ],
  [
    "negative credits",
    route('{ id = "a", enabled = true, keyauth = { credits = -1 } }'),
    ["local-dev.routes[0].policies[0].keyauth.credits: expected an integer of at least 0, got -1"],
  ],
  [
    "an unknown member",
    route('{ id = "a", enabled = true, keyauth = { key_space_id = [] } }'),
    [
      'local-dev.routes[0].policies[0].keyauth.key_space_id: unknown member, did you mean "keySpaceIds"? (known: keySpaceIds, locations, permissionQuery, credits, ratelimits)',
    ],
  ],
  [
    "an invalid port",
    route("").replace("root_key", "http_port = 0\nroot_key"),
    ["local-dev.http_port: expected an integer from 1 to 65535, got 0"],
  ],
  [
    "a lookahead",
    route(
      '{ id = "a", enabled = true, firewall = {}, match = [{ path = { path = { regex = "a(?=b)" } } }] }',
    ),
    [expect.stringMatching(/match\[0\]\.path\.path\.regex: .*without lookaround.* at character 2/)],
  ],
])("a file with %s is refused, with a line for each mistake", async (_, text, lines) => {
  expect(await read(text)).toEqual(lines);
});

test("a variable that is not set is refused with its line, except in api_url and in comments", async () => {
  expect(await read(`# \${COMMENT}\n${ofService}`, "gateway.toml", {})).toEqual([
    "line 6: expected the variable UNKEY_ROOT_KEY to be set",
    "line 15: expected the variable UNKEY_KEYSPACE_ID to be set",
  ]);
  const { UNKEY_API_URL: _, ...others } = variables;
  expect(await read(ofService, "gateway.toml", others)).toEqual([]);
});

test("a file may also be JSON or YAML", async () => {
  const routes = [
    {
      hostname: "a.test",
      upstream: "localhost:1",
      policies: [{ id: "a", enabled: true, keyauth: { keySpaceIds: ["ks"] } }],
    },
  ];

  expect(
    await read(JSON.stringify({ "local-dev": { rootKey: "${ROOT}", routes } }), "gateway.json", {
      ROOT: "a",
    }),
  ).toEqual([]);
  expect(await read("local-dev: { root_key: a, routes: [] }", "gateway.yaml")).toEqual([
    expect.stringMatching(/^local-dev\.routes: expected an array of routes, at least 1/),
  ]);
});

test("in a file, a policy without `enabled` is skipped, and keyauth without keyspaces refuses all keys", async () => {
  const text = route(
    '{ id = "wall", firewall = { action = "ACTION_DENY" } }, { id = "auth", enabled = true, keyauth = {}, match = [{ path = { path = { exact = "/orders" } } }] }',
  ).replace("localhost:3000", await givenProgram());
  const file = join(await givenFolder({ "gateway.toml": text }), "gateway.toml");
  const emulator = await givenEmulator({ fixtures: [orders] });
  const plan = await readGateway(file, {});
  const { close, url } = await plan.start(emulator, { port: 0 });
  onTestFinished(close);
  const headers = { Authorization: "Bearer ord_good" };

  expect((await fetch(`${url}/`, { headers })).status).toBe(201);
  expect((await fetch(`${url}/orders`, { headers })).status).toBe(401);
  expect(emulator.requests.count()).toBe(0);
});
