import { describe, expect, test } from "vitest";
import { connect } from "../../src/control/client/connect.ts";
import type { Usage, UsageQuery } from "../../src/index.ts";
import { givenEmulator, NOW, post, type Door } from "../_emulator.ts";
import { givenServer, type Served } from "../_server.ts";
import { control } from "../control/_control.ts";

const fixtures = [
  {
    apis: [{ id: "api_one" }, { id: "api_two" }],
    identities: [{ externalId: "acme", meta: { name: "Acme" } }, { externalId: "globex" }],
    keys: [
      { apiId: "api_one", id: "key_a", key: "a", name: "Server", externalId: "acme" },
      { apiId: "api_one", id: "key_b", key: "b", externalId: "acme", remaining: 1 },
      { apiId: "api_two", id: "key_c", key: "c" },
    ],
  },
];

function verify(door: Door, ...keys: string[]): Promise<unknown> {
  return Promise.all(keys.map((key) => post(door, "/v2/keys.verifyKey", { key })));
}

/** Verifications of yesterday and of today, by the emulator's clock. */
async function givenVerifications(): Promise<Served> {
  const served = await givenServer({ fixtures });
  await verify(served.emulator, "a", "a", "b");
  served.emulator.clock.advance("1d");
  await verify(served.emulator, "a", "b", "c", "unknown");
  return served;
}

type Ask = (served: Served, query?: UsageQuery) => Promise<Usage>;

const ways: readonly (readonly [string, Ask])[] = [
  ["in process", async ({ emulator }, query) => emulator.usage(query)],
  [
    "over HTTP",
    async (served, query = {}) => {
      const texts = Object.entries(query).map(([name, value]) => [name, String(value)]);
      const parameters = new URLSearchParams(Object.fromEntries(texts));
      const { body, status } = await control(served, `GET /usage?${parameters}`);
      if (status !== 200) throw new Error(body.error.message);
      return body;
    },
  ],
  ["by the client", ({ url }, query) => connect(url).usage(query)],
];

describe.each(ways)("%s", (_, ask) => {
  test("usage counts verifications by day and outcome", async () => {
    await using served = await givenVerifications();

    expect(await ask(served, { days: 3 })).toEqual({
      total: 6,
      outcomes: { VALID: 5, USAGE_EXCEEDED: 1 },
      days: [
        { day: "2025-12-31", total: 0, outcomes: {} },
        { day: "2026-01-01", total: 3, outcomes: { VALID: 3 } },
        { day: "2026-01-02", total: 3, outcomes: { VALID: 2, USAGE_EXCEEDED: 1 } },
      ],
    });
    expect((await ask(served)).days).toHaveLength(30);
  });

  test.each<[UsageQuery, number]>([
    [{ apiId: "api_one" }, 5],
    [{ apiId: "api_two" }, 1],
    [{ keyId: "key_a" }, 3],
    [{ externalId: "acme" }, 5],
    [{ externalId: "acme", keyId: "key_b" }, 2],
    [{ apiId: "api_two", keyId: "key_b" }, 0],
    [{ externalId: "globex" }, 0],
    [{ until: "1d ago" }, 3],
    [{ until: "2026-01-01" }, 3],
    [{ until: NOW, days: 1 }, 3],
    [{ days: 1 }, 3],
  ])("usage selects by %j", async (query, total) => {
    await using served = await givenVerifications();

    expect((await ask(served, query)).total).toBe(total);
  });

  test("usage shows who used most", async () => {
    await using served = await givenVerifications();
    const members = { apiId: "api_one", days: 7 } as const;

    const { groups: keys } = await ask(served, { ...members, by: "key" });
    const { groups: owners } = await ask(served, { days: 7, by: "externalId" });
    const { groups: first } = await ask(served, { days: 7, by: "key", limit: 1 });

    const both = { VALID: 1, USAGE_EXCEEDED: 1 };
    const ofAcme = { externalId: "acme", keys: 1 };
    expect(keys).toEqual([
      { ...ofAcme, keyId: "key_a", name: "Server", total: 3, outcomes: { VALID: 3 } },
      { ...ofAcme, keyId: "key_b", total: 2, outcomes: both },
    ]);
    expect(owners).toEqual([
      { ...ofAcme, name: "Acme", keys: 2, total: 5, outcomes: { ...both, VALID: 4 } },
      { keys: 1, total: 1, outcomes: { VALID: 1 } },
    ]);
    expect(first).toEqual(keys?.slice(0, 1));
  });

  test.each<[UsageQuery, string]>([
    [{ apiId: "api_none" }, "usage: apiId: expected the id of an API"],
    [{ keyId: "key_none" }, "usage: keyId: expected the id of a key"],
    [{ externalId: "none" }, "usage: externalId: expected the external id of an owner of keys"],
    [{ days: 91 }, "days: expected an integer from 1 to 90"],
    [{ limit: 0 }, "limit: expected an integer from 1 to 1000"],
    [{ until: "yesterday" }, "usage: until: expected a time in unix milliseconds"],
    [{ by: "owner" } as object, 'by: expected "key" or "externalId", got "owner"'],
    [{ key: "a" } as object, "key: "],
  ])("usage refuses %j", async (query, message) => {
    await using served = await givenVerifications();

    await expect(ask(served, query)).rejects.toThrow(message);
  });

  test("a reset forgets what was counted", async () => {
    await using served = await givenVerifications();

    await served.emulator.reset();

    expect((await ask(served)).total).toBe(0);
  });
});

test("counts stay after a restore, except those of a deleted key", async () => {
  const emulator = await givenEmulator({ fixtures });
  const snapshot = emulator.snapshot();
  await verify(emulator, "a", "b");

  await emulator.keys.delete({ id: "key_a" });
  const afterDelete = emulator.usage().total;
  await emulator.restore(snapshot);

  expect([afterDelete, emulator.usage().total]).toEqual([1, 1]);
});

test("a restore forgets the counts of keys that the snapshot does not have", async () => {
  const emulator = await givenEmulator({ fixtures });
  const snapshot = emulator.snapshot();
  const create = async () => {
    const { body } = await post(emulator, "/v2/keys.createKey", { apiId: "api_two" });
    return body.data;
  };
  const { key, keyId } = await create();
  await verify(emulator, key, "a");

  await emulator.restore(snapshot);
  const again = await create();

  expect(again.keyId).toBe(keyId);
  expect([emulator.usage({ keyId }).total, emulator.usage().total]).toEqual([0, 1]);
});

test("a new key with the id of a deleted one has neither its counts nor the uses of its rate limits", async () => {
  const limit = { name: "requests", limit: 1, duration: 60_000, autoApply: true };
  const init = { apiId: "api_one", id: "key_d", key: "d", ratelimits: [limit] };
  const emulator = await givenEmulator({ fixtures });
  await emulator.keys.create(init);
  const ways = [
    () => emulator.keys.create(init),
    () => emulator.seed({ keys: [init] }),
    () => emulator.seed({ keys: [{ ...init, start: "d", createdAt: NOW }] }),
  ];
  for (const create of ways) {
    await verify(emulator, "d", "d");
    expect(emulator.usage({ keyId: "key_d" }).outcomes).toEqual({ VALID: 1, RATE_LIMITED: 1 });
    await post(emulator, "/v2/keys.deleteKey", { keyId: "key_d" });

    await create();

    expect(emulator.usage({ keyId: "key_d" }).total).toBe(0);
  }
});

test("a new identity with the id of a deleted one has no uses of its rate limits", async () => {
  const ratelimits = [{ name: "requests", limit: 1, duration: 60_000, autoApply: true }];
  const identity = { externalId: "initech", id: "id_1", ratelimits };
  const emulator = await givenEmulator({ fixtures });
  const codes = [];
  for (const key of ["e", "f"]) {
    await emulator.identities.create(identity);
    await emulator.keys.create({ apiId: "api_one", key, externalId: "initech" });
    const { body } = await post(emulator, "/v2/keys.verifyKey", { key });
    codes.push(body.data.code);
    await emulator.identities.delete({ id: "id_1" });
  }

  expect(codes).toEqual(["VALID", "VALID"]);
});

test("with isolation, each workspace has its own counts", async () => {
  const emulator = await givenEmulator({ fixtures, isolate: true });
  await post(emulator, "/v2/keys.verifyKey", { key: "a" }, { token: "one" });

  expect(emulator.workspace("one").usage().total).toBe(1);
  expect(emulator.workspace("two").usage().total).toBe(0);
  expect(emulator.usage().total).toBe(0);
});

test("a verification of v1 counts too, and one that is refused does not", async () => {
  const emulator = await givenEmulator({ fixtures });

  await post(emulator, "/v1/keys.verifyKey", { key: "a" });
  await post(emulator, "/v1/keys.verifyKey", { key: "a", ratelimits: [{ name: "none" }] });

  expect(emulator.usage().outcomes).toEqual({ VALID: 1 });
});
