import { faker } from "@faker-js/faker/locale/en";
import { describe, expect, test, vi } from "vitest";
import { createEmulator, UsageError, type EmulatorOptions, type Key } from "../../src/index.ts";
import { shares, SPAN } from "../../src/seed/generate/parameters.ts";
import { loadFixture } from "../../src/node.ts";
import { createKey, givenEmulator, listKeys, NOW } from "../_emulator.ts";

const DAY = 86_400_000;
const demo = await loadFixture("fixtures/demo.yaml");
const apis = [
  { id: "api_pay", defaultPrefix: "pay", storeEncryptedKeys: true },
  { id: "api_ops" },
  { id: "api_bare", keyspace: false },
];

async function givenWorld(options: EmulatorOptions = {}) {
  return givenEmulator({ fixtures: [{ apis }], ...options });
}

const keysOf = (emulator: { keys: { all(): readonly Key[] } }, apiId: string) =>
  emulator.keys.all().filter((key) => key.apiId === apiId);

describe("one generated key", () => {
  test("a generated key stays the same when more keys are generated with the same random seed", async () => {
    const few = await givenWorld({ generate: { apiId: "api_pay", count: 40 } });
    const many = await givenWorld({ generate: { apiId: "api_pay", count: 300 } });

    const kept = new Set(many.keys.all().map((key) => JSON.stringify(key)));
    expect(few.keys.count()).toBe(40);
    for (const key of few.keys.all()) {
      expect(kept).toContain(JSON.stringify(key));
      const { identityId } = key;
      if (identityId === undefined) continue;
      expect(many.identities.get(identityId)).toEqual(few.identities.get(identityId));
      expect(few.identities.get(identityId)?.externalId).toBe(key.ownerId);
    }
  });

  test("a generated key does not depend on keys of another API or on keys that a fixture lists", async () => {
    const alone = await givenWorld({ generate: { apiId: "api_pay", count: 50 } });
    const beside = await givenWorld({
      fixtures: [{ apis, keys: [{ apiId: "api_pay", name: "by hand", externalId: "user_1" }] }],
      generate: [
        { apiId: "api_ops", count: 30 },
        { apiId: "api_pay", count: 50 },
      ],
    });

    const besides = keysOf(beside, "api_pay").filter(({ name }) => name !== "by hand");
    expect(JSON.stringify(besides)).toBe(JSON.stringify(alone.keys.all()));
  });

  test("a generated key is linked to the identity that a fixture lists with its owner's external id", async () => {
    const options = { generate: { apiId: "api_pay", count: 60 } };
    const first = await givenWorld(options);
    const identities = first.identities
      .all()
      .map(({ externalId }, index) => ({ id: `id_mine_${index}`, externalId }));

    const second = await givenWorld({ ...options, fixtures: [{ apis, identities }] });

    expect(second.identities.count()).toBe(identities.length);
    for (const { identityId, ownerId } of second.keys.all()) {
      expect(identityId).toBe(identities.find(({ externalId }) => externalId === ownerId)?.id);
    }
  });

  test("a generated key differs with another random seed", async () => {
    const [one, two] = await Promise.all(
      [1, 2].map((randomSeed) => givenWorld({ randomSeed, generate: { count: 20 } })),
    );

    const ids = new Set(one?.keys.all().map(({ id }) => id));
    expect(two?.keys.all().some(({ id }) => ids.has(id))).toBe(false);
  });

  test.each<[string, object]>([
    ["the demo", { fixtures: [{ ...demo, keys: [] }] }],
    ["a world without lists", {}],
  ])("the keys of %s are the same on every day except for their times", async (_, options) => {
    const generate = [{ count: 300 }, { count: 50, shares: { expired: 0.2, disabled: 0.2 } }];
    const worlds = await Promise.all(
      ["2026-01-03T01:00:00Z", "2026-11-25T14:00:00Z", "2028-02-29T23:00:00Z"].map((now) =>
        givenWorld({ ...options, generate, now }),
      ),
    );
    const [first, ...others] = worlds.map(({ clock, identities, keys }) => ({
      identities: identities.all(),
      keys: keys.all().map(({ createdAt, expires, lastUsedAt, updatedAt, ...rest }) => {
        const times = [createdAt, updatedAt, lastUsedAt, expires];
        const today = Math.floor(clock.now() / DAY) * DAY;
        return { ...rest, times: times.map((time) => time && time - today) };
      }),
    }));

    expect(first?.keys).toHaveLength(350);
    for (const other of others) expect(other).toEqual(first);
  });

  test("generated keys end at 00:00 UTC of the day on which the clock starts, also for later seeds", async () => {
    vi.useFakeTimers({ now: NOW + 5 * 3_600_000, toFake: ["Date"] });
    try {
      const start = () => createEmulator({ fixtures: [{ apis }], generate: 300, randomSeed: 1 });
      const morning = await start();
      vi.setSystemTime(NOW + 20 * 3_600_000);
      const evening = await start();
      vi.setSystemTime(NOW + DAY);
      const next = await start();
      morning.clock.advance("40d");
      const all = JSON.stringify(morning.keys.all());
      await morning.seed({ generate: [{ count: 500 }] });
      const latest = Math.max(...morning.keys.all().map(({ createdAt }) => createdAt));

      expect(morning.clock.isFrozen).toBe(false);
      expect(JSON.stringify(evening.keys.all())).toBe(all);
      expect(next.keys.all()[0]?.createdAt).toBe((evening.keys.all()[0]?.createdAt ?? 0) + DAY);
      expect(latest).toBeLessThan(NOW);
      expect(latest).toBeGreaterThan(NOW - 7 * DAY);
      expect(Math.max(...morning.keys.all().map(({ lastUsedAt = 0 }) => lastUsedAt))).toBeLessThan(
        NOW,
      );
    } finally {
      vi.useRealTimers();
    }
  });

  test.each([NOW, Date.UTC(2024, 0, 1), Date.UTC(1971, 0, 1), Date.UTC(2100, 0, 1)])(
    "generated keys have ids in the order of createdAt, for the option now %i",
    async (now) => {
      const { keys } = await givenWorld({ now, generate: { apiId: "api_pay", count: 500 } });

      const times = keys.all().map(({ createdAt }) => createdAt);
      const ids = keys.all().map(({ id }) => id);
      expect(times).toEqual(times.toSorted((a, b) => a - b));
      expect(ids).toEqual(ids.toSorted());
      expect(new Set(ids).size).toBe(500);
      expect(ids.every((id) => /^key_[1-9A-HJ-NP-Za-km-z]{16}$/.test(id))).toBe(true);
      expect(times.every((time) => time >= Math.max(0, now - SPAN) && time < now)).toBe(true);
    },
  );

  test("a generated key is listed before every key that is created later", async () => {
    const emulator = await givenWorld({ generate: { apiId: "api_pay", count: 100 } });
    const { body } = await createKey(emulator, { apiId: "api_pay" });

    const { body: page } = await listKeys(emulator, { apiId: "api_pay", limit: "100" });
    const { body: last } = await listKeys(emulator, { apiId: "api_pay", cursor: page.cursor });
    expect(page.total).toBe(101);
    expect(last.keys.map(({ id }: Key) => id)).toEqual([body.keyId]);
  });
});

describe("all generated keys", () => {
  const world = givenWorld({ generate: { apiId: "api_pay", count: 5_000 } });

  /** How many keys each identity has. */
  async function countsByIdentity(): Promise<ReadonlyMap<string, number>> {
    const counts = new Map<string, number>();
    for (const { identityId } of (await world).keys.all()) {
      if (identityId !== undefined) counts.set(identityId, (counts.get(identityId) ?? 0) + 1);
    }
    return counts;
  }

  test("generated keys are disabled, expiring, rate-limited and so on in the intended shares", async () => {
    const keys = (await world).keys.all();
    const partOf = (isOne: (key: Key) => boolean) => keys.filter(isOne).length / keys.length;
    const found = {
      withoutCustomer: partOf(({ identityId }) => identityId === undefined),
      // The first key of each customer is in use.
      disabled: partOf(({ enabled }) => !enabled) / (1 - shares.newCustomer),
      counted: partOf(({ remaining }) => remaining !== undefined),
      ratelimited: partOf(({ ratelimits }) => ratelimits.length > 0),
      recoverable: partOf(({ plaintext }) => plaintext !== undefined),
      withMeta: partOf(({ meta }) => meta !== undefined),
      refilled:
        partOf(({ refill }) => refill !== undefined) /
        partOf(({ remaining }) => remaining !== undefined),
      ownPermission: partOf(({ permissions }) => permissions.length > 0),
    };

    for (const [name, share] of Object.entries(found)) {
      expect(Math.abs(share - shares[name as keyof typeof found]), name).toBeLessThan(0.04);
    }
    expect(partOf(({ expires = Infinity }) => expires < NOW)).toBeGreaterThan(0.04);
    expect(partOf(({ expires = 0 }) => expires > NOW)).toBeGreaterThan(0.03);
    expect(keys.filter(({ expires = Infinity, updatedAt = 0 }) => updatedAt > expires)).toEqual([]);
    expect(keys.every(({ createdAt, updatedAt = createdAt }) => updatedAt >= createdAt)).toBe(true);
    expect(keys.every(({ updatedAt = 0 }) => updatedAt < NOW)).toBe(true);
  });

  test("generated keys were created by day, and no name is frequent", async () => {
    const keys = (await world).keys.all();
    const hours = keys.map(({ createdAt }) => new Date(createdAt).getUTCHours());
    const names = new Map<string, number>();
    for (const { name = "" } of keys) names.set(name, (names.get(name) ?? 0) + 1);

    expect(hours.filter((hour) => hour < 7 || hour >= 19)).toEqual([]);
    expect(Math.max(...names.values())).toBeLessThan(0.02 * keys.length);
    expect(names.size).toBeGreaterThan(600);
  });

  test("generated customers with many keys have larger plans", async () => {
    const { identities } = await world;
    const large = [...(await countsByIdentity())].filter(([, count]) => count > 40);
    const plans = large.map(([id]) => identities.get(id)?.meta["plan"]);

    expect(plans.length).toBeGreaterThan(2);
    expect(plans).not.toContain("free");
  });

  test("generated keys are more often recent than old", async () => {
    const recent = (await world).keys.all().filter(({ createdAt }) => createdAt > NOW - SPAN / 2);

    expect(recent.length / 5_000).toBeGreaterThan(0.57);
  });

  test("most generated customers have one key, and few have dozens", async () => {
    const sizes = [...(await countsByIdentity()).values()];

    const partOf = (isOne: (size: number) => boolean) => sizes.filter(isOne).length / sizes.length;
    expect(partOf((size) => size === 1)).toBeGreaterThan(0.55);
    expect(partOf((size) => size > 1)).toBeGreaterThan(0.25);
    expect(sizes.filter((size) => size >= 24).length).toBeGreaterThan(2);
    expect(partOf((size) => size >= 24)).toBeLessThan(0.02);
  });

  test("generated keys have roles, permissions and identities that exist, and a prefix that fits", async () => {
    const { identities, keys, permissions, roles } = await world;

    for (const key of keys.all()) {
      expect(key.roles.filter((name) => roles.named(name) === undefined)).toEqual([]);
      expect(key.permissions.filter((name) => permissions.named(name) === undefined)).toEqual([]);
      if (key.identityId !== undefined) expect(identities.get(key.identityId)).toBeDefined();
      const kind = { production: "live", staging: "test", development: "dev" }[
        key.environment ?? ""
      ];
      expect(key.start.startsWith(`pay_${kind}_`)).toBe(true);
      expect(key.start).toHaveLength(`pay_${kind}`.length + 5);
    }
    expect(new Set(identities.all().map(({ externalId }) => externalId)).size).toBe(
      identities.count(),
    );
  });

  test("generated keys can be written as a plain fixture and read again", async () => {
    const { snapshot: _, ...fixture } = (await world).snapshot();
    const again = await givenEmulator({ fixtures: [JSON.parse(JSON.stringify(fixture))] });

    expect(JSON.stringify(again.keys.all())).toBe(JSON.stringify((await world).keys.all()));
  });

  test("generated keys are spread over all APIs with a keyspace", async () => {
    const emulator = await givenWorld({ generate: { count: 7 } });

    expect(apis.map(({ id }) => emulator.keys.count({ apiId: id }))).toEqual([4, 3, 0]);
  });

  test("a role keeps the permissions that a fixture gives it beside generated keys", async () => {
    const roles = [{ name: "editor", permissions: ["mine"] }];
    const emulator = await givenWorld({ fixtures: [{ apis, roles }], generate: { count: 30 } });

    expect(emulator.roles.named("editor")?.permissions).toEqual(["mine"]);
  });

  test("generated keys leave the shared instance of faker alone, which tests may have seeded", async () => {
    faker.seed(5);
    const expected = [faker.person.fullName(), faker.person.fullName()];
    faker.seed(5);
    const first = faker.person.fullName();
    await givenWorld({ generate: { count: 20 } });

    expect([first, faker.person.fullName()]).toEqual(expected);
  });
});

test("generate takes a number as short for a count", async () => {
  expect((await givenWorld({ generate: 4 })).keys.count()).toBe(4);
  expect((await givenWorld({ generate: 0 })).roles.count()).toBe(0);
});

test.each([
  [
    { generate: { count: -1 } },
    "options: generate[0].count: expected an integer from 0 to 1000000",
  ],
  [{ generate: "5" }, "options: generate[0]: expected an object, got"],
  [
    { generate: { count: 1, apiId: "api_x" } },
    'options: generate[0].apiId: expected the id of an API of this workspace, like "api_pay", got "api_x"',
  ],
  [
    { generate: [{ count: 1, apiId: "api_bare" }] },
    "expected an API with a keyspace, which api_bare does not have",
  ],
  [
    { generate: { count: 1 }, fixtures: [{}] },
    "options: generate[0]: expected the workspace to have an API that can hold keys",
  ],
  [{ generate: { cuont: 1 } }, 'options: generate[0].cuont: unknown member, did you mean "count"?'],
])("the options %j are refused because of generate", async (options, message) => {
  const made = givenWorld(options as unknown as EmulatorOptions);

  await expect(made).rejects.toThrow(UsageError);
  await expect(made).rejects.toThrow(message);
});
