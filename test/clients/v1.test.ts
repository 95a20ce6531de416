import { Unkey } from "@unkey/api";
import { expect, test } from "vitest";
import { givenServer } from "../_server.ts";

const fixtures = [
  {
    tokens: [
      { token: "root", permissions: ["*"] },
      { token: "reader", permissions: ["api.*.read_key", "api.*.read_api"] },
    ],
    apis: [{ id: "api_pay", defaultPrefix: "pay", storeEncryptedKeys: true }],
  },
];

const client = (baseUrl: string, rootKey = "root") =>
  new Unkey({ rootKey, baseUrl, retry: { attempts: 1, backoff: () => 1 } });

test("the public client creates keys and lists all of them in pages of any size", async () => {
  await using served = await givenServer({ fixtures });
  const unkey = client(served.url);
  const created: string[] = [];
  for (let index = 0; index < 23; index += 1) {
    const { result, error } = await unkey.keys.create({ apiId: "api_pay", name: `key ${index}` });
    expect(error).toBeUndefined();
    expect(result?.key).toMatch(/^pay_/);
    created.push(result?.keyId ?? "");
  }

  for (const limit of [5, 22, 23]) {
    const walked: string[] = [];
    for (let cursor: string | undefined, more = true; more;) {
      const { result } = await unkey.apis.listKeys({
        apiId: "api_pay",
        limit,
        ...(cursor ? { cursor } : {}),
      });
      walked.push(...(result?.keys ?? []).map(({ id }) => id));
      expect(result?.total).toBe(23);
      cursor = result?.cursor;
      more = cursor !== undefined;
    }
    expect(walked).toEqual(created);
  }
});

test("the public client sends every field and reads it back, filtered and decrypted", async () => {
  await using served = await givenServer({ fixtures });
  const unkey = client(served.url);
  const { result: created } = await unkey.keys.create({
    apiId: "api_pay",
    prefix: "live",
    byteLength: 32,
    name: "CI deploy",
    externalId: "user one+two",
    meta: { plan: "pro" },
    roles: ["admin"],
    permissions: ["read"],
    expires: 1_900_000_000_000,
    remaining: 10,
    refill: { interval: "monthly", amount: 100, refillDay: 3 },
    ratelimit: { type: "fast", limit: 10, duration: 1_000 },
    enabled: true,
    recoverable: true,
    environment: "live",
  });
  await unkey.keys.create({ apiId: "api_pay" });

  const filter = { apiId: "api_pay", externalId: "user one+two" };
  const plain = await unkey.apis.listKeys(filter);
  const decrypted = await unkey.apis.listKeys({
    ...filter,
    decrypt: true,
    revalidateKeysCache: true,
  });

  expect(plain.result?.keys).toHaveLength(1);
  expect(plain.result?.keys[0]?.plaintext).toBeUndefined();
  expect(decrypted.result?.keys[0]).toMatchObject({
    id: created?.keyId,
    name: "CI deploy",
    plaintext: created?.key,
    ownerId: "user one+two",
    identity: { externalId: "user one+two" },
    remaining: 10,
    refill: { interval: "monthly", amount: 100, refillDay: 3 },
    ratelimit: { async: true, limit: 10, duration: 1_000 },
    expires: 1_900_000_000_000,
  });
});

test("the public client returns refusals as errors with code, docs, message and request id", async () => {
  await using served = await givenServer({ fixtures });
  const errors = [
    await client(served.url).keys.create({ apiId: "api_none" }),
    await client(served.url).keys.create({ apiId: "api_pay", byteLength: 1 }),
    await client(served.url, "nobody").keys.create({ apiId: "api_pay" }),
    await client(served.url, "reader").keys.create({ apiId: "api_pay" }),
    await client(served.url).keys.delete({ keyId: "key_1" }),
    await client(served.url).apis.listKeys({ apiId: "api_pay", limit: 101 }),
  ].map(({ error }) => error);

  expect(errors.map((error) => error?.code)).toEqual([
    "NOT_FOUND",
    "BAD_REQUEST",
    "UNAUTHORIZED",
    "INSUFFICIENT_PERMISSIONS",
    "NOT_FOUND",
    "BAD_REQUEST",
  ]);
  for (const error of errors) {
    expect(error).toEqual({
      code: expect.any(String),
      docs: expect.stringContaining("https://"),
      message: expect.any(String),
      requestId: expect.stringMatching(/^req_/),
    });
  }
});

test.each([
  ["before", 1],
  ["after", 2],
] as const)(
  "the public client retries a create whose reply is lost %s the operation, which leaves %i keys",
  async (when, count) => {
    await using served = await givenServer({ fixtures });
    served.emulator.faults.add({ operation: "keys.createKey", effect: "drop", when, times: 1 });
    const retry = { attempts: 3, backoff: () => 1 };
    const unkey = new Unkey({ rootKey: "root", baseUrl: served.url, retry });

    const { result } = await unkey.keys.create({ apiId: "api_pay", name: "CI" });
    const { result: page } = await unkey.apis.listKeys({ apiId: "api_pay" });

    expect(page?.keys.map(({ name }) => name)).toEqual(Array.from({ length: count }, () => "CI"));
    expect(page?.keys.at(-1)?.id).toBe(result?.keyId);
    expect(served.emulator.faults.pending()).toEqual([]);
    expect(served.emulator.requests.count({ operation: "keys.createKey" })).toBe(2);
  },
);

test("the public client 0.38 creates keys with rate limits in each of its spellings", async () => {
  await using served = await givenServer({ fixtures, strict: true });
  const unkey = client(served.url);

  for (const ratelimit of [
    { async: false, limit: 1, duration: 1_000 },
    { type: "fast", limit: 2, duration: 60_000 },
    { type: "consistent", limit: 3, refillRate: 3, refillInterval: 500 },
    { async: true, limit: 4, duration: 2_000, refillInterval: 9_000 },
  ] as const) {
    const { error } = await unkey.keys.create({ apiId: "api_pay", ratelimit });
    expect(error).toBeUndefined();
  }

  const { result } = await unkey.apis.listKeys({ apiId: "api_pay" });
  expect(result?.keys.map(({ ratelimit }) => ratelimit)).toEqual([
    { async: false, limit: 1, duration: 1_000 },
    { async: true, limit: 2, duration: 60_000 },
    { async: false, limit: 3, duration: 500 },
    { async: true, limit: 4, duration: 2_000 },
  ]);
});
