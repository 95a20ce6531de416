import { describe, expect, test } from "vitest";
import { createEmulator, type LogEntry } from "../../src/index.ts";
import { createLog } from "../../src/cli/log-lines.ts";
import { givenEmulator, NOW, post, send } from "../_emulator.ts";

// Small facts about answers of v2, each at the door where a client meets it.

const apis = [{ id: "api_one", keyspaceId: "ks_one" }];

/** The text of a reply, in which the order of members shows. */
async function textOf(emulator: { fetch: typeof fetch }, name: string, input: unknown) {
  const response = await emulator.fetch(`http://localhost/v2/${name}`, {
    method: "POST",
    headers: { Authorization: "Bearer any_token", "Content-Type": "application/json" },
    body: typeof input === "string" ? input : JSON.stringify(input),
  });
  return response.text();
}

describe("members of meta", () => {
  const sent =
    '{"zeta":1,"alpha":[{"b":1,"a":{"9":1,"10":2}}],"9":1,"10":2,"😀":1,"ａ":2,"__proto__":3,"\uffff10":4}';
  const answered =
    '{"10":2,"9":1,"__proto__":3,"alpha":[{"a":{"10":2,"9":1},"b":1}],"zeta":1,"ａ":2,"\uffff10":4,"😀":1}';

  test("come back in the order of their bytes, in every answer", async () => {
    const emulator = await givenEmulator({ fixtures: [{ apis }] });
    const body = `{"apiId":"api_one","externalId":"ann","meta":${sent}}`;
    const { keyId, key } = JSON.parse(await textOf(emulator, "keys.createKey", body)).data;
    await textOf(emulator, "identities.updateIdentity", `{"identity":"ann","meta":${sent}}`);

    const calls = [
      ["keys.getKey", { keyId }],
      ["keys.whoami", { key }],
      ["keys.verifyKey", { key }],
      ["apis.listKeys", { apiId: "api_one" }],
    ] as const;
    for (const [name, input] of calls) {
      expect((await textOf(emulator, name, input)).split(`"meta":${answered}`)).toHaveLength(3);
    }
    for (const name of ["getIdentity", "updateIdentity"]) {
      const text = await textOf(emulator, `identities.${name}`, { identity: "ann" });
      expect(text).toContain(`"meta":${answered}`);
    }
    expect(await textOf(emulator, "identities.listIdentities", {})).toContain(answered);
    // Records and v1 have them as they were sent.
    expect(Object.keys(emulator.keys.get(keyId)?.meta ?? {})).toContain("zeta");
  });
});

test("the bound of a key's meta counts <, > and & as six bytes", async () => {
  const emulator = await givenEmulator({ fixtures: [{ apis }] });
  const create = (length: number, version = "v2") =>
    post(emulator, `/${version}/keys.createKey`, {
      apiId: "api_one",
      meta: { a: "<".repeat(length) },
    });

  const statuses = [(await create(10_921)).status, (await create(10_922)).status];
  expect([...statuses, (await create(10_922, "v1")).status]).toEqual([200, 400, 200]);
});

test("violations quote texts as Go does", async () => {
  const emulator = await givenEmulator({ fixtures: [{ apis }] });
  const permissions = ['it\'s "a"\\b\n\t\u0001\u007f\u00a0\u202e\u{e0001}é🔑'];

  const { body } = await post(emulator, "/v2/keys.createKey", { apiId: "api_one", permissions });

  expect(body.error.errors[0].message).toBe(
    String.raw`'it\'s "a"\\b\n\t\x01\x7f\u00a0\u202e\U000e0001é🔑' does not match pattern '^[a-zA-Z0-9_:\\-\\.\\*]+$'`,
  );
});

test.each([101, 1_000, 1_001, 20_000])("violations count a list of %i roles", async (count) => {
  const emulator = await givenEmulator({ fixtures: [{ apis, keys: [{ apiId: "api_one" }] }] });
  const roles = Array.from({ length: count }, (_, index) => `r${index}`);
  const [key] = emulator.keys.all();
  const keyId = key?.id;

  for (const name of ["setRoles", "addRoles", "removeRoles", "updateKey"]) {
    const { body } = await post(emulator, `/v2/keys.${name}`, { keyId, roles });
    const got = String(count).replace(/(?=\d{3}$)/, count < 1_000 ? "" : ",");
    const message = `maxItems: got ${got}, want 100`;
    expect(body.error.errors).toEqual([{ location: "/properties/roles/maxItems", message }]);
  }
});

test("lengths in violations are whole numbers, however large", async () => {
  const emulator = await givenEmulator({ fixtures: [{ apis }] });
  const long = "x".repeat(1_234_567);

  const { body } = await post(emulator, "/v2/keys.verifyKey", { key: long });
  const { body: named } = await post(emulator, "/v2/apis.createApi", { name: `${long}😀` });

  expect(body.error.errors).toEqual([
    { location: "/properties/key/maxLength", message: "maxLength: got 1,234,567, want 512" },
  ]);
  expect(named.error.errors).toEqual([
    { location: "/properties/name/maxLength", message: "maxLength: got 1,234,568, want 256" },
  ]);
});

describe("integers of 64 bits", () => {
  test("are limits and costs, and answered as no more than their maximum", async () => {
    const emulator = await givenEmulator({ fixtures: [{ apis }] });
    const limit = (members: string) =>
      textOf(
        emulator,
        "ratelimit.limit",
        `{"namespace":"n","identifier":"i","duration":60000,${members}}`,
      );

    expect(await limit('"limit":9223372036854775807')).toContain(
      '"limit":9223372036854775807,"remaining":9223372036854775807',
    );
    expect(await limit('"limit":10,"cost":9007199254740993')).toContain('"success":false');
    expect(await limit('"limit":1e19')).toContain(
      '"detail":"The request body is invalid. The request body was not valid JSON.","errors":[]',
    );
    const both = await limit('"limit":1e19,"cost":-1');
    expect(both).toContain('"errors":[{"location":"/properties/cost/minimum"');
  });

  test("are answered as such in keys and lists of both versions, and as doubles in meta", async () => {
    const emulator = await givenEmulator({ fixtures: [{ apis }] });
    const most = "9223372036854775807";
    const members = `"credits":{"remaining":${most},"refill":{"interval":"daily","amount":${most}}},"meta":{"most":${most}}`;
    await textOf(emulator, "keys.createKey", `{"apiId":"api_one",${members}}`);
    const [{ id = "" } = {}] = emulator.keys.all();

    const list = await textOf(emulator, "apis.listKeys", '{"apiId":"api_one"}');
    expect(list).toContain(`{"refill":{"amount":${most},"interval":"daily"},"remaining":${most}}`);
    expect(list).toContain('"meta":{"most":9223372036854776000}');
    expect(await textOf(emulator, "keys.getKey", `{"keyId":"${id}"}`)).toContain(
      `"remaining":${most}`,
    );
    const headers = { Authorization: "Bearer t" };
    for (const call of ["apis.listKeys?apiId=api_one", `keys.getKey?keyId=${id}`]) {
      const answer = await emulator.fetch(`http://x/v1/${call}`, { headers });
      expect(await answer.text()).toContain(`"remaining":${most},`);
    }
    const data = (key: { remaining?: number | undefined }) => void (key.remaining = -(2 ** 63));
    await emulator.keys.update((q) => q.where({ id }), { data });
    const least = await emulator.fetch(`http://x/v1/keys.getKey?keyId=${id}`, { headers });
    expect(await least.text()).toContain('"remaining":-9223372036854775808,');
  });

  test("have no maximum in the document, which has 410 where a namespace can be gone", async () => {
    const emulator = await givenEmulator();
    const { paths } = (await emulator.openapi()) as { paths: Record<string, { post: object }> };

    expect(JSON.stringify(paths)).not.toContain("9007199254740991");
    const told = Object.entries(paths).filter(([, { post }]) =>
      JSON.stringify(post).includes('"410"'),
    );
    expect(told.map(([path]) => path)).toEqual(["/v2/ratelimit.limit", "/v2/ratelimit.multiLimit"]);
  });

  test("survive a snapshot", async () => {
    const emulator = await givenEmulator({ fixtures: [{ apis }] });
    const ratelimits = [{ name: "all", limit: 2 ** 63, duration: 2 ** 62, autoApply: true }];
    const credits = { remaining: 2 ** 63, refill: { interval: "daily", amount: 2 ** 60 } };
    await post(emulator, "/v2/keys.createKey", { apiId: "api_one", ratelimits, credits });
    await post(emulator, "/v2/ratelimit.limit", {
      namespace: "n",
      identifier: "i",
      limit: 2 ** 63,
      duration: 1_000,
      cost: 2 ** 55,
    });

    const snapshot = JSON.parse(JSON.stringify(emulator.snapshot()));
    const copy = await createEmulator({ fixtures: [snapshot], now: NOW, log: () => {} });
    expect(copy.snapshot()).toEqual(emulator.snapshot());
  });
});

test("a sliding window weighs the uses before it in floating point", async () => {
  const emulator = await givenEmulator({ fixtures: [{}] });
  const use = async (cost: number) => {
    const input = { namespace: "n", identifier: "i", limit: 20, duration: 10_000, cost };
    return (await post(emulator, "/v2/ratelimit.limit", input)).body.data.remaining;
  };
  await use(10);

  emulator.clock.advance("19s");

  // Ten uses before, with a tenth of the window left: 10 × (1 − 0.9) is 0.9999….
  expect(await use(0)).toBe(20);
});

test("a body with a byte order mark is refused in v2 alone", async () => {
  const emulator = await givenEmulator({ fixtures: [{ apis }] });
  const body = '\ufeff{"apiId":"api_one"}';

  const { error } = JSON.parse(await textOf(emulator, "keys.createKey", body));
  expect([error.status, error.errors[0].message]).toEqual([
    400,
    "The request body cannot be decoded: it begins with a byte order mark",
  ]);
  const headers = { Authorization: "Bearer any_token", "Content-Type": "application/json" };
  const request = new Request("http://localhost/v1/keys.createKey", {
    method: "POST",
    headers,
    body,
  });
  expect((await send(emulator, request)).status).toBe(200);
});

test("a slug that differs from a known one only in case means the known one", async () => {
  const emulator = await givenEmulator({ fixtures: [{ apis, permissions: ["docs.read"] }] });
  const given = ["DOCS.Read", "docs.read", "New.One", "new.one"];
  const create = await post(emulator, "/v2/keys.createKey", {
    apiId: "api_one",
    permissions: given,
  });
  const { keyId } = create.body.data;
  const slugs = () => emulator.keys.get(keyId)?.permissions;

  expect(slugs()).toEqual(["docs.read", "New.One"]);
  await post(emulator, "/v2/keys.updateKey", { keyId, permissions: ["NEW.ONE", "Docs.Read"] });
  expect(slugs()).toEqual(["New.One", "docs.read"]);
  for (const name of ["addPermissions", "setPermissions"]) {
    await post(emulator, `/v2/keys.${name}`, { keyId, permissions: ["dOCS.READ"] });
  }
  expect(slugs()).toEqual(["docs.read"]);
  await post(emulator, "/v2/permissions.createRole", { name: "r", permissions: given });
  expect(emulator.roles.named("r")?.permissions).toEqual(["docs.read", "New.One"]);
  expect(emulator.permissions.count()).toBe(2);
});

describe("an unknown path says whether the service has it", () => {
  test.each([
    ["/v2/keys.foo", "The service does not have it. defineOperation adds more"],
    ["/v2/keys?ownerId=ann", "The service does not have it."],
    ["/v2/projects.getProject", "The service has this group of operations."],
    ["/v2/analytics.getRatelimits", "The service has it."],
    [
      "/v2/analytics.getVerifications",
      "The service has it. For an operation that answers it from the usage that latchkey counts, see node_modules/latchkey/docs/own-operations.md",
    ],
    ["/v1/keys.foo", "v1 of the service did not have it."],
    ["/v1/keys.getVerifications", "v1 of the service had it."],
  ])("%s", async (path, text) => {
    const emulator = await givenEmulator();
    const { body } = await send(emulator, new Request(`http://localhost${path}`));

    expect(body.error.detail ?? body.error.message).toContain(text);
  });
});

test.each([
  ["keys.createKey", { ownerId: "a", remaining: 1, ratelimit: {}, refill: {}, environment: "" }],
  ["keys.verifyKey", { apiId: "api_one", remaining: {}, authorization: {} }],
  ["keys.updateCredits", { op: "set" }],
  ["ratelimit.multiLimit", [{ namespaceId: "rlns_1", async: true }]],
  ["identities.getIdentity", { externalId: "ann" }],
  ["permissions.getRole", { roleId: "role_1" }],
])("%s names the members of v1 in %j as v2 has them", async (name, input) => {
  const expected: Readonly<Record<string, string>> = {
    "keys.createKey":
      "ownerId is externalId, and remaining is credits.remaining, and ratelimit is ratelimits, and refill is credits.refill, and there is no environment",
    "keys.verifyKey":
      "apiId is keyspaces, and remaining is credits.cost, and authorization is permissions",
    "keys.updateCredits": "op is operation",
    "ratelimit.multiLimit": "namespaceId is namespace, and there is no async",
    "identities.getIdentity": "externalId is identity",
    "permissions.getRole": "roleId is role",
  };
  const emulator = await givenEmulator({ fixtures: [{ apis }] });

  const { headers, status } = await post(emulator, `/v2/${name}`, input);

  expect(status).toBe(400);
  expect(headers.get("x-latchkey-hint")).toContain(`in v2, ${expected[name]}`);
});

test("a verification says in hint, log and journal that the token lacks the right", async () => {
  const entries: LogEntry[] = [];
  const lines: string[] = [];
  const warn = createLog("warn", (line) => lines.push(line));
  const tokens = [{ token: "weak", permissions: ["api.*.read_key"] }];
  const keys = [{ apiId: "api_one", key: "value_of_the_key" }];
  const emulator = await givenEmulator({
    fixtures: [{ apis, keys, tokens }],
    log(entry) {
      entries.push(entry);
      warn(entry);
    },
  });
  const verify = (key: string) => post(emulator, "/v2/keys.verifyKey", { key }, { token: "weak" });

  const { body, headers } = await verify("value_of_the_key");

  const hint =
    "no key of this workspace has this value, or the token may not verify it; to verify keys of every API, the token needs unkey:v1:ws_local:projects/*/keyspaces/*/keys/*#verify or api.*.verify_key";
  expect(body.data).toEqual({ code: "NOT_FOUND", valid: false });
  expect(headers.get("x-latchkey-hint")).toBe(hint);
  expect(entries).toMatchObject([{ kind: "request", status: 200, hint }]);
  expect(lines).toEqual([
    `latchkey: warning: POST /v2/keys.verifyKey was answered 200 NOT_FOUND: ${hint}`,
  ]);
  expect(emulator.requests.list()).toMatchObject([{ status: 200, hint }]);
  expect((await verify("value_of_another")).headers.get("x-latchkey-hint")).toBe(hint);
});
