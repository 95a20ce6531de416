import { describe, expect, test } from "vitest";
import { connect } from "../../src/control/client/connect.ts";
import type { Fixture } from "../../src/index.ts";
import { NOW, post } from "../_emulator.ts";
import { givenServer, type Served } from "../_server.ts";
import { control } from "./_control.ts";

const of = (id: string, more: object = {}) => ({ id, apiId: "api_one", ...more });

const world: Fixture = {
  apis: [
    { id: "api_one", name: "First" },
    { id: "api_two", name: "Second", storeEncryptedKeys: true },
  ],
  identities: [{ id: "id_ann", externalId: "ann", meta: { name: "Acme GmbH", plan: "pro" } }],
  roles: [{ id: "role_admin", name: "admin", permissions: ["read"] }],
  permissions: [{ id: "perm_read", name: "read" }],
  ratelimitNamespaces: [
    { id: "rlns_mail", name: "mail", overrides: [{ identifier: "*", limit: 1, duration: "1m" }] },
  ],
  migrations: [{ id: "mig_one", algorithm: "sha256" }],
  keys: [
    of("key_1", { name: "CI deploy", externalId: "ann", roles: ["admin"], createdAt: 3_000 }),
    of("key_2", { name: "Öffentlich", enabled: false, createdAt: 1_000 }),
    of("key_3", { expires: NOW - 1, remaining: 5, createdAt: 2_000 }),
    of("key_4", { name: "ci test", remaining: 0, createdAt: 4_000 }),
    of("key-5", { expires: NOW, remaining: 1, createdAt: 5_000 }),
    { id: "key_6", apiId: "api_two", name: "other", key: "s3cret_value", recoverable: true },
  ],
};

const given = () => givenServer({ fixtures: [world] });

async function ids(served: Served, query: string, kind = "keys"): Promise<string[]> {
  const { body } = await control(served, `GET /${kind}${query}`);
  return body[kind].map(({ id }: { id: string }) => id);
}

/** All pages of two keys. */
async function pages(served: Served, query = ""): Promise<string[][]> {
  const found: string[][] = [];
  for (let cursor = ""; ;) {
    const { body } = await control(served, `GET /keys?limit=2${query}${cursor}`);
    found.push(body.keys.map(({ id }: { id: string }) => id));
    if (body.cursor === undefined) return found;
    cursor = `&cursor=${body.cursor}`;
  }
}

describe("GET /keys", () => {
  test.each([
    ["", "key-5 key_1 | key_2 key_3 | key_4 key_6"],
    ["&apiId=api_one", "key-5 key_1 | key_2 key_3 | key_4"],
    ["&sort=-id", "key_6 key_4 | key_3 key_2 | key_1 key-5"],
    ["&sort=createdAt", "key_2 key_3 | key_1 key_4 | key-5 key_6"],
    ["&sort=name", "key_1 key_4 | key_6 key_2 | key-5 key_3"],
    ["&sort=-name", "key_2 key_6 | key_4 key_1 | key_3 key-5"],
    ["&sort=-remaining&apiId=api_one", "key_3 key-5 | key_4 key_2 | key_1"],
    ["&sort=nextExpiry", "key-5 key_7 | key_3 key_8 | key_1 key_2 | key_4 key_6"],
    ["&sort=-nextExpiry", "key_8 key_3 | key_7 key-5 | key_6 key_4 | key_2 key_1"],
    ["&search=CI", "key_1 key_4"],
    ["&search=none", ""],
  ])("with %s pages through the keys in their order", async (query, expected) => {
    await using served = await given();
    if (query.includes("nextExpiry")) {
      const keys = [of("key_7", { expires: NOW + 1 }), of("key_8", { expires: NOW - 2 })];
      await served.emulator.seed({ keys });
    }

    expect((await pages(served, query)).map((page) => page.join(" ")).join(" | ")).toBe(expected);
  });

  test.each([
    ["?state=valid", ["key-5", "key_1", "key_6"]],
    ["?state=disabled", ["key_2"]],
    ["?state=expired", ["key_3"]],
    ["?state=usedUp", ["key_4"]],
    ["?search=%C3%B6FFENT", ["key_2"]],
    ["?search=ann", ["key_1"]],
    ["?search=acme", ["key_1"]],
    ["?search=key_3", ["key_3"]],
    ["?search=ci&state=usedUp", ["key_4"]],
    ["?apiId=api_two", ["key_6"]],
    ["?externalId=ann", ["key_1"]],
    ["?externalId=an", []],
    ["?externalId=ann&search=deploy&state=valid&apiId=api_one", ["key_1"]],
  ])("with %s finds keys", async (query, expected) => {
    await using served = await given();

    expect(await ids(served, query)).toEqual(expected);
    const { total } = (await control(served, `GET /keys${query}&limit=1`)).body;
    expect(total).toBe(expected.length);
  });

  test("follows the clock in its states", async () => {
    await using served = await given();
    served.emulator.clock.advance(1);

    expect(await ids(served, "?state=expired")).toEqual(["key-5", "key_3"]);
  });

  test("continues at the right place if keys are deleted or added between pages", async () => {
    await using served = await given();
    const { keys } = served.emulator;
    const first = (await control(served, "GET /keys?limit=2&sort=createdAt")).body;
    keys.delete({ id: "key_3" });
    await keys.create({ id: "key_0", apiId: "api_one", createdAt: 1_500 });

    const { body } = await control(
      served,
      `GET /keys?limit=2&sort=createdAt&cursor=${first.cursor}`,
    );

    expect(body.keys.map(({ id }: { id: string }) => id)).toEqual(["key_1", "key_4"]);
  });

  test("shows the identities of the keys of the page", async () => {
    await using served = await given();

    const { body } = await control(served, "GET /keys?limit=3");
    const last = (await control(served, `GET /keys?limit=3&cursor=${body.cursor}`)).body;

    expect(body.identities).toMatchObject([
      { id: "id_ann", externalId: "ann", meta: { name: "Acme GmbH", plan: "pro" } },
    ]);
    expect(last.identities).toEqual([]);
  });

  test("shows how often each key was verified on the last 30 days, and which key replaced which", async () => {
    await using served = await given();
    const { body: old } = await post(served.emulator, "/v2/keys.createKey", { apiId: "api_two" });
    await post(served.emulator, "/v2/keys.verifyKey", { key: old.data.key });
    const { keyId } = old.data;
    const { body: made } = await post(served.emulator, "/v2/keys.rerollKey", {
      keyId,
      expiration: 0,
    });

    const { body } = await control(served, "GET /keys?apiId=api_two&sort=-createdAt&usage=true");
    const shown = Object.fromEntries(
      body.keys.map((key: { id: string }, index: number) => [
        key.id,
        { key, days: body.usage[index] },
      ]),
    );

    expect(shown[keyId].days).toEqual([...Array.from({ length: 29 }, () => 0), 1]);
    expect(shown[keyId].key.replacedBy).toBe(made.data.keyId);
    expect(shown[made.data.keyId].key.replaces).toBe(keyId);
    served.emulator.keys.delete({ id: made.data.keyId });
    const again = await control(served, `GET /keys/${keyId}`);
    expect(again.body.replacedBy).toBe(made.data.keyId);
  });

  test("shows no key as the replacement of another after a restore, which repeats ids", async () => {
    await using served = await given();
    const create = () => post(served.emulator, "/v2/keys.createKey", { apiId: "api_two" });
    const { keyId } = (await create()).body.data;
    const snapshot = served.emulator.snapshot();
    await post(served.emulator, "/v2/keys.rerollKey", { keyId, expiration: 0 });
    await served.emulator.restore(snapshot);
    const { body: made } = await create();

    const { body } = await control(served, `GET /keys/${made.data.keyId}`);

    expect(body).not.toHaveProperty("replaces");
  });

  test("shows records as in process, without the value of a recoverable key", async () => {
    await using served = await given();
    const shown = served.emulator.keys.all().map(({ plaintext, ...key }) => ({
      ...key,
      ...(plaintext !== undefined && { recoverable: true }),
    }));

    const { body } = await control(served, "GET /keys");

    expect(body.keys).toEqual(JSON.parse(JSON.stringify(shown)));
    expect(JSON.stringify(body)).not.toContain("s3cret_value");
  });

  test("searches and sorts more keys than one step takes", async () => {
    const keys = Array.from({ length: 1_700 }, (_, index) => ({
      apiId: "api_one",
      name: `n${(index * 7) % 1_700}`,
      remaining: (index * 7) % 1_700,
    }));
    await using served = await givenServer({ fixtures: [{ apis: [{ id: "api_one" }], keys }] });

    const sorted = (await control(served, "GET /keys?sort=remaining&limit=1000")).body;
    const rest = `GET /keys?sort=remaining&limit=1000&cursor=${sorted.cursor}`;
    const last = (await control(served, rest)).body;
    const found = (await control(served, "GET /keys?search=n169&sort=-remaining")).body;

    const remaining = (body: typeof sorted) =>
      body.keys.map((key: { remaining: number }) => key.remaining);
    expect(remaining(sorted)).toEqual(Array.from({ length: 1_000 }, (_, index) => index));
    expect(sorted.total).toBe(1_700);
    expect(remaining(last)).toEqual(Array.from({ length: 700 }, (_, index) => 1_000 + index));
    expect(remaining(found)).toEqual([
      ...Array.from({ length: 10 }, (_, index) => 1_699 - index),
      169,
    ]);
  });
});

describe("one record", () => {
  test.each([
    ["apis", "api_one"],
    ["identities", "id_ann"],
    ["roles", "role_admin"],
    ["permissions", "perm_read"],
    ["ratelimitNamespaces", "rlns_mail"],
    ["migrations", "mig_one"],
    ["keys", "key-5"],
  ] as const)(
    "of %s is shown by its id and in the list, and a refusal repeats no id",
    async (kind, id) => {
      await using served = await given();
      const record = JSON.parse(JSON.stringify(served.emulator[kind].get(id)));

      const { body, status } = await control(served, `GET /${kind}/${id}`);
      const list = (await control(served, `GET /${kind}?search=${id}`)).body;
      const none = await control(served, `GET /${kind}/s3cret_value`);

      expect([status, body]).toEqual([200, record]);
      const identities = kind === "keys" ? { identities: [] } : {};
      expect(list).toEqual({ ...identities, [kind]: [record], total: 1 });
      expect(none.status).toBe(404);
      expect(none.body.error.message).toMatch(
        /^there is no (?:API|identity|role|permission|namespace|migration|key) with/,
      );
    },
  );

  test("of a key shows the uses left in its rate limits and those of its identity", async () => {
    const ratelimits = [{ name: "daily", limit: 5, duration: 86_400_000, autoApply: true }];
    const identity = {
      externalId: "bea",
      ratelimits: [
        { name: "daily", limit: 9, duration: 86_400_000, autoApply: true },
        { name: "burst", limit: 2, duration: 1_000, autoApply: false },
      ],
    };
    const key = { id: "key_1", apiId: "api_one", key: "value_1", externalId: "bea", ratelimits };
    const fixture = { apis: [{ id: "api_one" }], identities: [identity], keys: [key] };
    await using served = await givenServer({ fixtures: [fixture], now: 1_000 });
    const left = async () => (await control(served, "GET /key-limits/key_1")).body.limits;

    const verify = (body: object) =>
      post(served, "/v2/keys.verifyKey", { key: "value_1", ...body }, { origin: served.url });
    await verify({ ratelimits: [{ name: "burst" }] });
    const once = await left();
    await verify({});

    expect(once).toEqual([
      { name: "burst", limit: 2, duration: 1_000, autoApply: false, remaining: 1, reset: 2_000 },
      {
        name: "daily",
        limit: 5,
        duration: 86_400_000,
        autoApply: true,
        remaining: 4,
        reset: 86_400_000,
      },
    ]);
    expect((await left()).map(({ remaining }: { remaining: number }) => remaining)).toEqual([1, 3]);
    expect((await control(served, "GET /key-limits/key_2")).status).toBe(404);
  });

  test("shows how many uses of a limit are left now, in v1 and in v2", async () => {
    const hour = 3_600_000;
    const ratelimits = [{ name: "daily", limit: 4, duration: hour, autoApply: true }];
    const key = { id: "key_1", apiId: "api_one", name: "CI", key: "value_1", ratelimits };
    const fixture = { apis: [{ id: "api_one" }], keys: [key] };
    await using served = await givenServer({ fixtures: [fixture], now: hour / 2 });
    const call = (path: string, body: object) => post(served, path, body, { origin: served.url });
    const of = { identifier: "ann", limit: 10, duration: hour };
    const left = async () => (await control(served, "GET /used-limits")).body.limits;

    for (let uses = 0; uses < 11; uses += 1)
      await call("/v2/ratelimit.limit", { namespace: "email", ...of });
    await call("/v1/ratelimits.limit", of);
    await call("/v2/ratelimit.multiLimit", [{ ...of, namespace: "sms", identifier: "value_1" }]);
    await call("/v2/keys.verifyKey", {
      key: "value_1",
      ratelimits: [{ name: "once", limit: 2, duration: hour }],
    });
    const atOnce = await left();
    served.emulator.requests.clear();
    await call("/v2/ratelimit.limit", { namespace: "email", ...of });
    served.emulator.clock.set(hour + 1_000);
    const later = await left();
    served.emulator.clock.set(2 * hour);

    const told = atOnce.map((used: Record<string, unknown>) =>
      ["who", "of", "remaining", "limit", "full", "isRefused"].map((name) => used[name]),
    );
    expect(told).toEqual([
      ["ann", "email", 0, 10, 2 * hour, true],
      ["CI", "once", 1, 2, 2 * hour, false],
      ["CI", "daily", 3, 4, 2 * hour, false],
      // v1 forgets all uses at the end of a window.
      ["ann", "default", 9, 10, hour, false],
      ["***", "sms", 9, 10, 2 * hour, false],
    ]);
    expect(later).toMatchObject([{ remaining: 1, full: 2 * hour, isRefused: true }]);
    expect((await left())[0]).toMatchObject({ remaining: 10 });
    expect((await left())[0]).not.toHaveProperty("full");
  });

  test("POST /keys/find shows the key with a value, without the value", async () => {
    await using served = await given();

    const found = await control(served, "POST /keys/find", { body: { value: "s3cret_value" } });
    const none = await control(served, "POST /keys/find", { body: { value: "s3cret_other" } });

    expect(found.body).toMatchObject({ id: "key_6" });
    expect(JSON.stringify([found.body, none.body])).not.toContain("s3cret");
    expect([found.status, none.status]).toEqual([200, 404]);
  });

  test("is that of the workspace of the token", async () => {
    await using served = await givenServer({ fixtures: [world], isolate: true });
    await served.emulator.workspace("mine").seed({ keys: [of("key_mine")] });

    const mine = await control(served, "GET /keys/key_mine", { token: "mine" });
    const other = await control(served, "GET /keys/key_mine", { token: "other" });

    expect([mine.status, other.status]).toEqual([200, 404]);
  });
});

describe("the collections of a client", () => {
  test("have every record, page after page, or those that match", async () => {
    const keys = Array.from({ length: 1_001 }, (_, index) => ({
      apiId: "api_one",
      name: `${index}`,
    }));
    await using served = await givenServer({ fixtures: [{ ...world, keys }] });
    const client = connect(served.url);

    expect(await client.keys.all()).toHaveLength(1_001);
    const matching = await client.keys.all({ apiId: "api_one", search: "100", sort: "-name" });
    expect(matching.map(({ name }) => name)).toEqual(["1000", "100"]);
    expect(await client.apis.all()).toMatchObject([{ id: "api_one" }, { id: "api_two" }]);
    expect(await client.roles.all({ search: "ADMIN" })).toMatchObject([{ id: "role_admin" }]);
    expect(await client.permissions.all()).toMatchObject([{ name: "read" }]);
    expect(await client.ratelimitNamespaces.all()).toMatchObject([{ name: "mail" }]);
    expect(await client.migrations.all()).toMatchObject([{ id: "mig_one" }]);
    expect(await client.identities.all()).toMatchObject([{ externalId: "ann" }]);
  });

  test("have one record by its id, and a key by its value", async () => {
    await using served = await given();
    const client = connect(served.url);

    expect(await client.keys.get("key_1")).toMatchObject({ name: "CI deploy", roles: ["admin"] });
    expect(await client.keys.get("key_none")).toBeUndefined();
    expect(await client.keys.get("no/key?")).toBeUndefined();
    expect(await client.identities.get("id_ann")).toMatchObject({ meta: { plan: "pro" } });
    expect(await client.keys.findByValue("s3cret_value")).toMatchObject({ id: "key_6" });
    expect(await client.keys.findByValue("other")).toBeUndefined();
    await expect(connect(`${served.url}/v1`).keys.get("key_1")).rejects.toThrow();
  });
});
