import { expect, test } from "vitest";
import { createKey, givenEmulator, post } from "../_emulator.ts";
import { createKeyV2, expectRefusal, schemaRefusal } from "../_v2.ts";

const VALUES = 100_000;
const list = (count: number, toItem: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => toItem(index)).join(",");

/** JSON with this many values, counting the whole. */
const shapes: Readonly<Record<string, (values: number) => string>> = {
  "a list of numbers with white space": (values) => `[\n${list(values - 1, () => "\t1 ")}\r\n]`,
  "an object": (values) => `{${list(values - 1, (index) => `"${index.toString(36)}":1`)}}`,
  "objects of lists": (values) => {
    const lists = list(Math.floor((values - 1) / 4), () => '{"a":[1,{}]}');
    const rest = list((values - 1) % 4, () => ",0").replaceAll(",,", ",");
    return `[${lists}${rest}]`;
  },
  "texts with commas, brackets, quotes and backslashes": (values) =>
    `[${list(values - 1, () => JSON.stringify(',[{"\\'))}]`,
  "names with commas and brackets": (values) => `[{${list(values - 2, () => '"[,":1')}}]`,
};

test.each(Object.keys(shapes))(
  "a body of 100,000 values is read, and one more is not: %s",
  async (name) => {
    const emulator = await givenEmulator();
    const textOf = shapes[name] as (values: number) => string;

    for (const path of ["/v2/keys.createKey"]) {
      const read = await post(emulator, path, textOf(VALUES));
      const refused = await post(emulator, path, textOf(VALUES + 1));

      expect([read.status, refused.status]).toEqual([400, 400]);
      expect(JSON.stringify(read.body)).not.toContain("JSON values");
      expect(JSON.stringify(refused.body)).toContain("at most 100,000 JSON values");
    }
  },
);

const EXPECTED =
  "at most 100,000 JSON values, counting every member of an object and every item of an array";
const tooMany = `{"meta":[${list(VALUES, () => "1")}]}`;

test("v2 refuses a body of more than 100,000 values like any body that it cannot read", async () => {
  const refused = await createKeyV2(await givenEmulator(), tooMany);

  expectRefusal(
    refused,
    schemaRefusal("/v2/keys.createKey", [
      {
        location: "requestBody",
        message: `The request body cannot be decoded: latchkey reads ${EXPECTED}`,
        fix: "Ensure that the object being submitted, matches the schema correctly",
      },
    ]),
  );
});

test("control routes take more than 100,000 values", async () => {
  const emulator = await givenEmulator();
  const permissions = Array.from({ length: VALUES + 1 }, (_, index) => `p${index}`);

  const body = JSON.stringify({ permissions });
  const { status } = await emulator.fetch("http://x/_latchkey/seed", { method: "POST", body });

  expect(status).toBe(204);
  expect(emulator.permissions.count()).toBe(VALUES + 1);
});

test("meta is read no further than up to its limit", async () => {
  const emulator = await givenEmulator();
  let reads = 0;
  const items = new Proxy(
    Array.from({ length: 1_000_000 }, () => 1),
    {
      get(target, name, receiver) {
        reads += 1;
        return Reflect.get(target, name, receiver);
      },
    },
  );

  const attempt = emulator.keys.create({ apiId: "api_one", meta: { items } });

  await expect(attempt).rejects.toThrow("meta: expected at most 65535 bytes of JSON");
  expect(reads).toBeLessThan(200_000);
});

test("a meta that is too large and nested too deeply is refused for its size", async () => {
  const nested = Array.from({ length: 101 }).reduce<unknown>((inner) => [inner], 1);

  const { body } = await createKey(await givenEmulator(), {
    apiId: "api_one",
    meta: { text: "x".repeat(65_536), nested },
  });

  expect(body.error.message).toMatch(/^meta: expected at most 65535 bytes of JSON, got an object$/);
});

test("v2 names 100 of the violations of 10,000 rate limits with numbers out of range", async () => {
  const limits = Array.from({ length: 10_000 }, () => ({ name: "abc", cost: -1 }));

  const { body, status } = await post(await givenEmulator(), "/v2/keys.verifyKey", {
    key: "x",
    ratelimits: limits,
  });

  expect(status).toBe(400);
  expect(body.error.errors).toHaveLength(100);
});

test("v2 names 100 of 90,000 unknown members", async () => {
  const unknown = Array.from({ length: 90_000 }, (_, index) => [`m${index}`, 1]);

  const { body } = await createKeyV2(
    await givenEmulator(),
    Object.fromEntries([...unknown, ["apiId", "api_one"]]),
  );

  const [{ location, message }, ...more] = body.error.errors;
  expect([location, more]).toEqual(["/additionalProperties", []]);
  expect(message).toMatch(/^additional properties 'm0', 'm1', .*, 'm99' not allowed$/);
});

test("a wrong item far behind in a long list is named by its index", async () => {
  const roles = Array.from({ length: 5_000 }, (_, index) => (index === 4_321 ? 5 : `r${index}`));

  const { body } = await createKey(await givenEmulator(), { apiId: "api_one", roles });

  expect(body.error.message).toMatch(/^roles\.4321: expected a string [^;]*, got 5$/);
});

const MAX_ITEMS = 10_000;
const unboundedLists: readonly (readonly [path: string, member: string, item: unknown])[] = [
  ["/v2/keys.setPermissions", "permissions", "a"],
  ["/v2/keys.verifyKey", "ratelimits", { name: "abc", limit: 5, duration: 1_000 }],
  ["/v1/keys.createKey", "permissions", "a"],
  ["/v1/keys.createKey", "roles", "a"],
  ["/v1/keys.updateKey", "permissions", { name: "a", create: true }],
  ["/v1/keys.updateKey", "roles", { name: "a", create: true }],
  ["/v1/keys.verifyKey", "ratelimits", { name: "abc", limit: 5, duration: 1_000 }],
];

test.each(unboundedLists)(
  "%s takes 10,000 %s, and refuses more with what is wrong",
  async (path, member, item) => {
    const emulator = await givenEmulator();
    const world = { permissions: [{ name: "a" }], roles: [{ name: "a" }] };
    await emulator.seed({ ...world, keys: [{ id: "key_one", apiId: "api_one", key: "value_1" }] });
    const subject = path.endsWith("createKey")
      ? { apiId: "api_one" }
      : path.endsWith("verifyKey")
        ? { key: "value_1" }
        : { keyId: "key_one" };
    const call = (count: number) =>
      post(emulator, path, { ...subject, [member]: Array.from({ length: count }, () => item) });

    const taken = await call(MAX_ITEMS);
    const refused = await call(MAX_ITEMS + 1);

    expect([taken.status, refused.status]).toEqual([200, 400]);
    if (path.startsWith("/v2")) {
      expect(refused.body.error.errors).toEqual([
        {
          location: `/properties/${member}/maxItems`,
          message: "maxItems: got 10,001, want 10,000",
        },
      ]);
    } else {
      const noun = /an array of [a-z ]+, at most 10000/.source;
      expect(refused.body.error.message).toMatch(new RegExp(`^${member}: expected ${noun}, got `));
    }
  },
);

test("keys.migrateKeys refuses 50,000 keys without a hash, and more keys than a body can have", async () => {
  const emulator = await givenEmulator();
  await emulator.migrations.create({ id: "migration_one" });
  const migrate = (count: number) =>
    post(emulator, "/v2/keys.migrateKeys", {
      migrationId: "migration_one",
      apiId: "api_one",
      keys: Array.from({ length: count }, () => ({})),
    });

  const locations = [(await migrate(50_000)).body, (await migrate(50_001)).body].map(
    (body) => body.error.errors[0].location,
  );

  expect(locations).toEqual(["/properties/keys/items/required", "/properties/keys/maxItems"]);
});

test("fixtures, snapshots and collections take lists of more than 10,000 names", async () => {
  const emulator = await givenEmulator();
  const names = Array.from({ length: MAX_ITEMS + 1 }, (_, index) => `n${index}`);
  const key = { apiId: "api_one", permissions: names, roles: names };

  await emulator.seed({ keys: [{ ...key, id: "key_seeded" }] });
  await emulator.keys.create({ ...key, id: "key_created" });
  await emulator.restore(emulator.snapshot());

  for (const id of ["key_seeded", "key_created"]) {
    const [stored] = emulator.keys.findMany((query) => query.where({ id }));
    expect([stored?.permissions.length, stored?.roles.length]).toEqual([10_001, 10_001]);
  }
});

const LONG = "x".repeat(8_000_000);

test("a text of millions of characters is refused like a shorter one", async () => {
  const emulator = await givenEmulator();
  const get = (path: string) =>
    emulator.handle({
      method: "GET",
      path: path.split("?")[0] ?? "",
      query: path.split("?")[1] ?? "",
      header: (name) => (name === "authorization" ? "Bearer any_token" : undefined),
      body: new Uint8Array(),
    });

  const credits = { keyId: LONG, operation: "set", value: 1 };
  const answers = [
    (await post(emulator, "/v2/keys.updateCredits", credits)).status,
    (await get(`/v1/keys.getKey?keyId=${LONG}`)).status,
    (await get(`/v1/apis.listKeys?apiId=${LONG}`)).status,
    (await get(`/v1/apis.listKeys?apiId=api_one&cursor=${LONG}`)).status,
    (await get(`/v2/${LONG}`)).status,
  ];

  expect(answers).toEqual([404, 404, 404, 400, 404]);
  expect(() => emulator.requests.list({ operation: LONG })).toThrow(
    "unknown operation (8000000 characters)",
  );
});
