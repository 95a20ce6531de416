import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { createEmulator, UsageError, type EmulatorOptions, type Fixture } from "../../src/index.ts";
import { givenEmulator, NOW } from "../_emulator.ts";

const apis = [
  { id: "api_pay", defaultPrefix: "pay", storeEncryptedKeys: true },
  { id: "api_ops" },
  { id: "api_bare", keyspace: false },
];
/** Its roles, permissions and identity are named by a key, and listed nowhere. */
const named = {
  apis,
  keys: [{ apiId: "api_ops", externalId: "user_1", roles: ["mine"], permissions: ["docs.read"] }],
};

test.each<[string, EmulatorOptions]>([
  ["95389c504b677734", { fixtures: [{ apis }], generate: { count: 300 } }],
  ["1219e1947e7e5949", { generate: 250 }],
  [
    "04b95366e7f50209",
    {
      fixtures: [named],
      generate: [
        { apiId: "api_pay", count: 40 },
        { apiId: "api_ops", count: 30 },
      ],
    },
  ],
])(
  "generated keys without orders, and without lists, are those of the hash %s",
  async (hash, options) => {
    const emulator = await createEmulator({ ...options, randomSeed: 1, now: "2026-05-01" });
    await emulator.seed({ generate: [{ count: 400 }] });

    const { identities, keys, permissions, roles } = emulator.snapshot();
    const all = JSON.stringify({ identities, keys, permissions, roles });
    expect(createHash("sha256").update(all).digest("hex").slice(0, 16)).toBe(hash);
  },
);

/** A product with its own roles and customers. */
const product = {
  apis,
  permissions: ["reports.export"],
  roles: [
    { name: "reader", permissions: ["docs.read"] },
    { name: "writer", permissions: ["docs.read", "docs.write"] },
  ],
  identities: [{ externalId: "acme" }, { externalId: "globex" }, { externalId: "initech" }],
} satisfies Fixture;

type Requests = Fixture["generate"];

async function givenWorld(generate: Requests, fixture: Fixture = { apis }) {
  return givenEmulator({ fixtures: [{ ...fixture, generate }] });
}

type World = Awaited<ReturnType<typeof givenWorld>>;
const names = (values: Iterable<string | undefined>) => [...new Set(values)].sort();
const ownersOf = ({ keys }: World) => names(keys.all().map(({ ownerId }) => ownerId));
const rolesOf = ({ keys }: World) => names(keys.all().flatMap(({ roles }) => roles));

describe("what a fixture lists", () => {
  test("generated keys have the roles, permissions and identities that a fixture lists, and no others", async () => {
    const world = await givenWorld([{ apiId: "api_pay", count: 300 }], product);

    expect(ownersOf(world)).toEqual(["acme", "globex", "initech"]);
    expect(rolesOf(world)).toEqual(["reader", "writer"]);
    expect(names(world.keys.all().flatMap(({ permissions }) => permissions))).toEqual([
      "reports.export",
    ]);
    expect([world.roles.count(), world.identities.count()]).toEqual([2, 3]);
    expect(names(world.permissions.all().map(({ slug }) => slug))).toEqual([
      "docs.read",
      "docs.write",
      "reports.export",
    ]);
    for (const { identityId, ownerId } of world.keys.all()) {
      expect(world.identities.get(identityId ?? "")?.externalId).toBe(ownerId);
    }
  });

  test.each<[string, Fixture, roles: number, identities: boolean]>([
    ["roles", { roles: product.roles }, 2, true],
    ["permissions", { permissions: ["docs.read"] }, 0, true],
    ["identities", { identities: product.identities }, 4, false],
  ])(
    "a fixture that lists only %s generates the other kinds",
    async (_, listed, roles, isCustomerGenerated) => {
      const world = await givenWorld([{ apiId: "api_pay", count: 200 }], { apis, ...listed });

      expect(world.roles.count()).toBe(roles);
      expect(ownersOf(world).length > 50).toBe(isCustomerGenerated);
    },
  );

  test("direct permissions of generated keys are those of the listed roles if no permission is listed", async () => {
    const world = await givenWorld([{ count: 200 }], { apis, roles: product.roles });

    expect(names(world.keys.all().flatMap(({ permissions }) => permissions))).toEqual([
      "docs.read",
      "docs.write",
    ]);
  });

  test("seed generates keys with what the fixtures of the emulator list, also after a reset", async () => {
    const world = await givenEmulator({ fixtures: [product] });
    await world.seed({ generate: [{ apiId: "api_pay", count: 50 }] });
    const first = JSON.stringify(world.snapshot());
    await world.reset();
    await world.seed({ generate: [{ apiId: "api_pay", count: 50 }] });

    expect(JSON.stringify(world.snapshot())).toBe(first);
    expect(ownersOf(world)).toEqual(["acme", "globex", "initech"]);
    expect(rolesOf(world)).toEqual(["reader", "writer"]);
    expect(world.roles.count()).toBe(2);
  });

  test("a listed role or identity that was deleted is given to no generated key", async () => {
    const world = await givenEmulator({ fixtures: [product] });
    world.roles.delete({ name: "writer" });
    world.identities.delete({ externalId: "globex" });
    await world.seed({ generate: [{ apiId: "api_pay", count: 50 }] });

    expect(ownersOf(world)).toEqual(["acme", "initech"]);
    expect(rolesOf(world)).toEqual(["reader"]);
  });

  test("a generated key has the role with the name of its customer's plan", async () => {
    const world = await givenWorld([{ count: 200 }], {
      apis,
      roles: [{ name: "pro" }, { name: "enterprise" }],
      identities: [
        { externalId: "acme", meta: { plan: "pro" } },
        { externalId: "globex", meta: { plan: "enterprise" } },
      ],
    });

    for (const { ownerId, roles } of world.keys.all()) {
      expect(roles).toEqual([ownerId === "acme" ? "pro" : "enterprise"]);
    }
  });
});

describe("an order", () => {
  const customers = [
    { externalId: "acme", name: "Acme" },
    { externalId: "umbrella", name: "U" },
  ];
  const order = {
    apiId: "api_pay",
    roles: ["reader"],
    customers,
    like: { remaining: 1_000, expires: NOW + 1e9 },
    shares: { expired: 0.1, disabled: 0.05, limited: 0.3 },
  };

  test("all keys of an order belong to its customers, and identities are created for new ones", async () => {
    const world = await givenWorld([{ ...order, count: 120 }], product);

    const owned = world.keys.all().map(({ ownerId, identityId = "" }) => {
      return [ownerId, world.identities.get(identityId)?.externalId];
    });
    expect(owned.every(([owner, of]) => owner === of)).toBe(true);
    expect(ownersOf(world)).toEqual(["acme", "umbrella"]);
    expect(world.identities.count()).toBe(4);
    expect(world.identities.named("umbrella")?.meta).toEqual({ name: "U" });
    expect(world.identities.named("acme")?.meta).toEqual({});
    expect(rolesOf(world)).toEqual(["reader"]);
  });

  test("a key of an order stays the same when more are ordered, and when other requests come beside it", async () => {
    const few = await givenWorld([{ ...order, count: 30 }], product);
    const many = await givenWorld(
      [
        { apiId: "api_pay", count: 40 },
        { ...order, count: 200 },
        { ...order, count: 10 },
        { count: 5, roles: ["writer"] },
      ],
      product,
    );

    const kept = new Set(many.keys.all().map((key) => JSON.stringify(key)));
    expect(many.keys.count()).toBe(255);
    for (const key of few.keys.all()) expect(kept).toContain(JSON.stringify(key));
    const { keys } = many.snapshot();
    expect(new Set(keys?.map(({ key, hash }) => key ?? hash)).size).toBe(255);
  });

  test("seed adds new keys for each order", async () => {
    const world = await givenEmulator({ fixtures: [{ apis }] });
    for (const remaining of [1, 2]) {
      await world.seed({ generate: [{ apiId: "api_pay", count: 10, like: { remaining } }] });
    }

    expect([1, 2].map((remaining) => world.keys.count({ remaining }))).toEqual([10, 10]);
  });

  test("the keys of an order are expired, disabled and rate-limited in its shares", async () => {
    const { keys } = await givenWorld([{ ...order, count: 400 }], product);
    const all = keys.all();

    const expired = all.filter(({ expires = Infinity }) => expires <= NOW);
    const disabled = all.filter(({ enabled }) => !enabled);
    const limited = all.filter(({ ratelimits }) => ratelimits.length > 0);
    expect(Math.abs(expired.length - 40)).toBeLessThan(4);
    expect(Math.abs(disabled.length - 20)).toBeLessThan(4);
    expect(Math.abs(limited.length - 120)).toBeLessThan(4);
    expect(disabled.filter((key) => expired.includes(key))).toEqual([]);
    for (const { createdAt, expires, updatedAt = 0 } of expired) {
      expect(expires).toBeGreaterThan(createdAt);
      expect(updatedAt).toBeLessThanOrEqual(expires ?? 0);
    }
    const others = all.filter((key) => !expired.includes(key));
    expect(new Set(others.map(({ expires }) => expires))).toEqual(new Set([NOW + 1e9]));
    expect(new Set(all.map(({ remaining }) => remaining))).toEqual(new Set([1_000]));
  });

  test.each([0, 1])("a share of %i holds for each key of an order", async (share) => {
    const shares = { expired: share, limited: share };
    const one = await givenWorld([
      { count: 50, shares },
      { count: 50, shares: { disabled: share } },
    ]);
    const all = one.keys.all();

    expect(all.filter(({ expires = Infinity }) => expires <= NOW).length >= 50).toBe(share === 1);
    expect(all.filter(({ enabled }) => !enabled).length >= 50).toBe(share === 1);
  });

  test("the keys of an order have the members of `like`", async () => {
    const refill = { interval: "daily" as const, amount: 10 };
    const rights = { roles: ["reader", "writer"], permissions: ["reports.export"] };
    const kept = { ...rights, name: "Server", meta: { team: "data" }, enabled: false };
    const made = { prefix: "sk_live", byteLength: 32, expires: 0, recoverable: true };
    const like = {
      ...kept,
      ...made,
      environment: "live",
      credits: { remaining: 9, refill },
      ratelimit: { limit: 5, duration: 1_000 },
    };
    const { keys } = await givenWorld([{ apiId: "api_pay", count: 60, like }], product);

    expect(keys.count()).toBe(60);
    for (const key of keys.all()) {
      expect(key).toMatchObject({ ...kept, environment: "live", remaining: 9, refill });
      expect(key.expires).toBeUndefined();
      expect(key.ratelimits).toMatchObject([{ name: "default", limit: 5, duration: 1_000 }]);
      expect(key.plaintext).toMatch(/^sk_live_\w{45,}$/);
      expect(keys.findByValue(key.plaintext ?? "")?.id).toBe(key.id);
    }
  });

  test("the values of keys of an order follow from the random seed", async () => {
    const generate = [{ apiId: "api_pay", count: 3, like: { recoverable: true } }];
    const valuesOf = async (randomSeed: number) => {
      const { keys } = await createEmulator({ fixtures: [{ apis, generate }], randomSeed });
      return keys.all().map(({ plaintext }) => plaintext);
    };

    expect(await valuesOf(1)).toEqual(await valuesOf(1));
    expect(await valuesOf(2)).not.toEqual(await valuesOf(1));
  });
});

describe("refusals", () => {
  const reader = { name: "reader", permissions: ["docs.read"] };

  const NO_MEMBER = "expected no such member, because each generated";
  const acme = { externalId: "acme" };
  const ofLike = (like: object, more = {}) => ({ like, ...more });
  test.each<[object, string]>([
    [
      { roles: ["raeder"] },
      'roles[0]: unknown role "raeder", did you mean "reader"? (known: reader)',
    ],
    [ofLike({ roles: ["admin"] }), 'like.roles[0]: unknown role "admin" (known: reader)'],
    [
      ofLike({ permissions: ["docs.raed"] }),
      'like.permissions[0]: unknown permission "docs.raed", did you mean "docs.read"? (known',
    ],
    [ofLike({ roles: ["reader"] }, { roles: ["reader"] }), "like.roles: use either `roles`"],
    [{ shares: { expired: 0.7, disabled: 0.4 } }, "shares: expected `expired` and `disabled` to"],
    [{ shares: { limited: 1.1 } }, "shares.limited: expected a fraction from 0 to 1, got 1.1"],
    [{ shares: { expird: 0.1 } }, 'shares.expird: unknown member, did you mean "expired"?'],
    [{ customers: [] }, "customers: expected an array of customers, at least 1"],
    [
      { customers: [acme, acme] },
      'customers[1].externalId: expected each customer once, got "acme"',
    ],
    [{ customers: ["acme"] }, "customers[0]: expected an object"],
    [ofLike({ key: "secret_value" }), `like.key: ${NO_MEMBER}`],
    [ofLike(acme), "like.externalId: expected `customers` beside `like`"],
    [ofLike({ createdAt: 1 }), `like.createdAt: ${NO_MEMBER}`],
    [ofLike({ apiId: "api_pay" }), "like.apiId: expected `apiId` beside `like` instead"],
    [ofLike({ nmae: "x" }), 'like.nmae: unknown member, did you mean "name"?'],
    [
      ofLike({ recoverable: true }, { apiId: "api_ops" }),
      "like.recoverable: expected false, because api_ops does not have",
    ],
    [
      ofLike({ refill: { interval: "daily", amount: 1 } }),
      "like.remaining: expected a number of uses",
    ],
    [ofLike({ remaining: 1, credits: { remaining: 1 } }), "like.remaining: use either"],
  ])("the order %j is refused with its path", async (members, message) => {
    const request = { count: 1, apiId: "api_pay", ...members };
    const made = givenWorld([request] as Requests, { apis, roles: [reader] });

    await expect(made).rejects.toThrow(UsageError);
    await expect(made).rejects.toThrow(`fixtures[0]: generate[0].${message}`);
  });

  test("a refused order of a further workspace has its path, and shows no value of a key", async () => {
    const workspace = { id: "ws_two" };
    const generate = [{ count: 1, like: { key: "secret_value" } }];
    const workspaces = [{ workspace, apis: [{ id: "api_two" }], generate }];
    const made = givenEmulator({ fixtures: [{ workspaces } as unknown as Fixture] });

    await expect(made).rejects.toThrow("workspaces[0].generate[0].like.key: expected no such");
    await expect(made).rejects.not.toThrow("secret_value");
  });

  test("a role that the workspace has is known, though the added fixture does not list it", async () => {
    const world = await givenEmulator({ fixtures: [product] });
    const unknown = world.seed({ generate: [{ count: 1, roles: ["admin"] }] });

    await expect(unknown).rejects.toThrow('unknown role "admin" (known: reader, writer)');
    await world.seed({ generate: [{ count: 3, roles: ["writer"] }] });
    expect(rolesOf(world)).toEqual(["writer"]);
  });

  test("an unknown role is refused with a message that says that the workspace has no roles", async () => {
    const made = givenWorld([{ count: 1, roles: ["reader"] }]);

    await expect(made).rejects.toThrow(
      'unknown role "reader": the workspace has no roles; list it',
    );
  });
});
