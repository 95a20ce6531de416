import { describe, expect, test } from "vitest";
import type { Quirk } from "../../src/index.ts";
import { createKey, givenEmulator, listAll, listKeys, NOW, send } from "../_emulator.ts";

const apis = [{ id: "api_one", storeEncryptedKeys: true }];
const key = { apiId: "api_one" };
const HOUR = 3_600_000;

/** An emulator as documented, and one with the quirk; both have these keys. */
async function givenBoth(quirk: Quirk, keys: readonly object[] = []) {
  const fixtures = [{ apis, keys: keys.map((more) => ({ ...key, ...more })) }];
  return {
    documented: await givenEmulator({ fixtures }),
    quirky: await givenEmulator({ fixtures, quirks: [quirk] }),
  };
}

test("validate-first: a bad body without a token is 400 and not 401", async () => {
  const { documented, quirky } = await givenBoth("validate-first");

  expect((await createKey(documented, {}, { token: null })).status).toBe(401);
  expect((await createKey(quirky, {}, { token: null })).status).toBe(400);
  expect((await createKey(quirky, key, { token: null })).status).toBe(401);
  expect((await createKey(quirky, key)).status).toBe(200);
});

test("unauthorized-403: a missing or unknown token is 403, without a challenge", async () => {
  const fixtures = [{ apis, tokens: [{ token: "root", permissions: ["*"] }] }];
  const documented = await givenEmulator({ fixtures });
  const quirky = await givenEmulator({ fixtures, quirks: ["unauthorized-403"] });

  for (const token of [null, "unknown"]) {
    const [first, second] = [
      await listKeys(documented, key, { token }),
      await listKeys(quirky, key, { token }),
    ];
    expect([first.status, first.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
    expect([second.status, second.headers.get("www-authenticate")]).toEqual([403, null]);
    expect(second.body.error.code).toBe("UNAUTHORIZED");
  }
});

test("plain-404: a wrong method is 404 as text", async () => {
  const { documented, quirky } = await givenBoth("plain-404");
  const wrong = () => new Request("http://emulator.test/v1/keys.createKey", { method: "DELETE" });

  const answer = await quirky.fetch(wrong());

  expect((await send(documented, wrong())).status).toBe(405);
  expect([answer.status, await answer.text()]).toEqual([404, "404 Not Found"]);
  expect(answer.headers.get("content-type")).toBe("text/plain; charset=UTF-8");
  expect(answer.headers.get("unkey-request-id")).toMatch(/^req_/);
  // A 404 of the operation itself is still in the error envelope.
  expect((await listKeys(quirky, { apiId: "api_none" })).body.error.code).toBe("NOT_FOUND");
});

test("trailing-cursor: every page that is not empty has one, and the last page is empty", async () => {
  const { documented, quirky } = await givenBoth("trailing-cursor", [{}, {}, {}]);

  expect((await listKeys(documented, key)).body.cursor).toBeUndefined();
  const page = await listKeys(quirky, key);
  const empty = await listKeys(quirky, { ...key, cursor: page.body.cursor });

  expect(page.body.keys).toHaveLength(3);
  expect(empty.body).toEqual({ keys: [], total: 3 });
  for (const limit of [1, 2, 3, 4]) {
    expect(await listAll(quirky, { ...key, limit })).toHaveLength(3);
  }
});

test("plain-cursor: the cursor is the id of the last key, and any text is accepted", async () => {
  const { documented, quirky } = await givenBoth("plain-cursor", [{}, {}, {}]);
  const ids = quirky.keys.all().map(({ id }) => id);

  const { body } = await listKeys(quirky, { ...key, limit: 2 });
  const behind = await listKeys(quirky, { ...key, cursor: body.cursor });
  const odd = await listKeys(quirky, { ...key, cursor: "zzz ü" });

  expect(body.cursor).toBe(ids[1]);
  expect(behind.body.keys.map(({ id }: { id: string }) => id)).toEqual([ids[2]]);
  expect(odd.body).toEqual({ keys: [], total: 3 });
  expect((await listKeys(documented, { ...key, cursor: "zzz ü" })).status).toBe(400);
  expect((await listKeys(documented, { ...key, cursor: String(ids[1]) })).status).toBe(400);
});

test("zero-total: total is 0 if no identity has the external id", async () => {
  const { documented, quirky } = await givenBoth("zero-total", [{ externalId: "ann" }, {}]);
  const totals = async (query: Record<string, string>) => [
    (await listKeys(documented, { ...key, ...query })).body.total,
    (await listKeys(quirky, { ...key, ...query })).body.total,
  ];

  expect(await totals({ externalId: "nobody" })).toEqual([2, 0]);
  expect(await totals({ externalId: "ann" })).toEqual([2, 2]);
  expect(await totals({ ownerId: "nobody" })).toEqual([2, 2]);
});

describe("truthy-strings", () => {
  test.each(["true", "false", "0", "1", "null", "nonsense"])(
    "decrypt=%s decrypts",
    async (decrypt) => {
      const { documented, quirky } = await givenBoth("truthy-strings", [{ recoverable: true }]);

      const { status, body } = await listKeys(quirky, { ...key, decrypt });
      const asDocumented = await listKeys(documented, { ...key, decrypt });

      expect(status).toBe(200);
      expect(body.keys[0].plaintext).toBeDefined();
      const isTrue = decrypt === "true" || decrypt === "1";
      expect(asDocumented.body.keys?.[0].plaintext !== undefined).toBe(isTrue);
    },
  );

  test("an empty decrypt does not decrypt", async () => {
    const { quirky } = await givenBoth("truthy-strings", [{ recoverable: true }]);

    const { body } = await listKeys(quirky, { ...key, decrypt: "" });

    expect(body.keys[0].plaintext).toBeUndefined();
  });
});

test("extra-fields: records have more members than documented", async () => {
  const keys = [
    { environment: "live", remaining: 5, refill: { interval: "daily", amount: 9 } },
    {
      remaining: 5,
      refill: { interval: "monthly", amount: 9, refillDay: 3, lastRefillAt: NOW },
      ratelimit: { limit: 7, duration: 2_000 },
    },
  ];
  const { documented, quirky } = await givenBoth("extra-fields", keys);

  const [plainDaily, plainMonthly] = (await listKeys(documented, key)).body.keys;
  const [daily, monthly] = (await listKeys(quirky, key)).body.keys;

  expect(daily).toEqual({
    ...plainDaily,
    environment: "live",
    refill: { interval: "daily", amount: 9, refillDay: null },
  });
  expect(monthly).toEqual({
    ...plainMonthly,
    refill: { interval: "monthly", amount: 9, refillDay: 3, lastRefillAt: NOW },
    ratelimit: {
      async: true,
      limit: 7,
      duration: 2_000,
      refillRate: 7,
      refillInterval: 2_000,
    },
  });
  expect(plainDaily.refill).toEqual({ interval: "daily", amount: 9 });
});

test("async-false: a rate limit is always listed with async false", async () => {
  const ratelimit = { limit: 7, duration: 2_000 };
  const { documented, quirky } = await givenBoth("async-false", [{ ratelimit }]);

  const asyncs = [];
  for (const emulator of [documented, quirky]) {
    asyncs.push((await listKeys(emulator, key)).body.keys[0].ratelimit.async);
  }

  expect(asyncs).toEqual([true, false]);
});

describe("stale-list", () => {
  const totalOf = async (
    emulator: Awaited<ReturnType<typeof givenEmulator>>,
    query: Record<string, string | number | boolean> = {},
  ) => (await listKeys(emulator, { ...key, ...query })).body.total;

  test("a new key is missing until the cached page was served once more after 60 s", async () => {
    const { documented, quirky } = await givenBoth("stale-list");
    for (const emulator of [documented, quirky]) {
      await totalOf(emulator);
      await createKey(emulator, key);
    }

    expect(await totalOf(documented)).toBe(1);
    expect(await totalOf(quirky)).toBe(0);
    quirky.clock.advance(59_999);
    expect(await totalOf(quirky)).toBe(0);
    quirky.clock.advance(1);
    expect([await totalOf(quirky), await totalOf(quirky)]).toEqual([0, 1]);
  });

  test("a cached page is dropped when it is a day old or lies in the future", async () => {
    const { quirky } = await givenBoth("stale-list");
    await totalOf(quirky);
    await createKey(quirky, key);

    quirky.clock.advance(24 * HOUR);
    const afterADay = await totalOf(quirky);
    await createKey(quirky, key);
    quirky.clock.set(NOW);

    expect([afterADay, await totalOf(quirky)]).toEqual([1, 2]);
  });

  test("each filter and limit has its own cached page; the default limit and 100 share one", async () => {
    const { quirky } = await givenBoth("stale-list", [{ externalId: "ann" }]);
    await totalOf(quirky);
    await createKey(quirky, key);

    const totals = [
      await totalOf(quirky, { limit: 100 }),
      await totalOf(quirky, { limit: 99 }),
      await totalOf(quirky, { externalId: "ann" }),
      await totalOf(quirky, { ownerId: "ann" }),
    ];

    expect(totals).toEqual([1, 2, 2, 2]);
  });

  test("revalidateKeysCache bypasses the cache and refreshes that one page", async () => {
    const { quirky } = await givenBoth("stale-list");
    await totalOf(quirky);
    await totalOf(quirky, { limit: 5 });
    await createKey(quirky, key);

    const totals = [
      await totalOf(quirky, { revalidateKeysCache: true }),
      await totalOf(quirky),
      await totalOf(quirky, { limit: 5 }),
    ];

    expect(totals).toEqual([1, 1, 0]);
  });

  test("key values are not cached: only requests with decrypt get them", async () => {
    const { quirky } = await givenBoth("stale-list", [{ recoverable: true }]);

    const plaintexts = [];
    for (const decrypt of [false, true, false]) {
      plaintexts.push((await listKeys(quirky, { ...key, decrypt })).body.keys[0].plaintext);
    }

    expect(plaintexts).toEqual([undefined, expect.any(String), undefined]);
  });

  test("reset and restore empty the cache", async () => {
    const { quirky } = await givenBoth("stale-list");
    const before = quirky.snapshot();
    for (const again of [() => quirky.reset(), () => quirky.restore(before)]) {
      await totalOf(quirky);
      await createKey(quirky, key);
      const stale = await totalOf(quirky);
      await again();
      await createKey(quirky, key);

      expect([stale, await totalOf(quirky)]).toEqual([0, 1]);
      await quirky.reset();
    }
  });
});

test("all quirks work together", async () => {
  const emulator = await givenEmulator({ quirks: "all" });

  expect(emulator.quirks).toHaveLength(12);
  expect((await createKey(emulator, {}, { token: null })).status).toBe(400);
  expect((await listKeys(emulator, key, { token: null })).status).toBe(403);
});
