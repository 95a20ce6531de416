import fc from "fast-check";
import type { Fixture } from "../src/index.ts";

const names = (...values: string[]) => fc.uniqueArray(fc.constantFrom(...values), { maxLength: 3 });
const roles = names("admin", "editor", "viewer");
const permissions = names("documents.read", "documents.write", "billing.read");
const time = fc.integer({ min: 1_600_000_000_000, max: 1_767_225_600_000 });
const meta = fc.dictionary(
  fc.constantFrom("plan", "region", "__proto__", "é"),
  fc.oneof(fc.string({ maxLength: 8 }), fc.integer(), fc.boolean(), fc.constant(null)),
  { maxKeys: 3 },
);

/** Keys of `api_a`, which stores encrypted keys, and of `api_b`, which does not. */
const key = fc
  .record(
    {
      name: fc.string({ maxLength: 20 }),
      prefix: fc.constantFrom("", "pay", "pay_live"),
      byteLength: fc.integer({ min: 16, max: 40 }),
      externalId: fc.constantFrom("user_1", "user_2", "user_3", ""),
      ownerId: fc.constantFrom("user_1", "owner_1", ""),
      meta,
      roles,
      permissions,
      expires: fc.oneof(time, fc.constant(0)),
      remaining: fc.integer({ min: 0, max: 50 }),
      refill: fc.oneof(
        fc.record({ interval: fc.constant("daily" as const), amount: fc.integer({ min: 1 }) }),
        fc.record({
          interval: fc.constant("monthly" as const),
          amount: fc.integer({ min: 1 }),
          refillDay: fc.integer({ min: 1, max: 31 }),
        }),
      ),
      ratelimit: fc.oneof(
        fc.record(
          {
            limit: fc.integer({ min: 1, max: 99 }),
            duration: fc.integer({ min: 1_000, max: 9_999 }),
            async: fc.boolean(),
            type: fc.constantFrom("fast" as const, "consistent" as const),
          },
          { requiredKeys: ["limit", "duration"] },
        ),
        fc.record(
          {
            limit: fc.integer({ min: 1, max: 99 }),
            refillRate: fc.integer({ min: 1, max: 99 }),
            refillInterval: fc.integer({ min: 1, max: 2_000 }),
          },
          { requiredKeys: ["limit", "refillInterval"] },
        ),
      ),
      enabled: fc.boolean(),
      environment: fc.constantFrom("production", "test"),
      createdAt: time,
      updatedAt: time,
    },
    { requiredKeys: [] },
  )
  .chain((init) =>
    fc.boolean().map((isRecoverable) => {
      const { refill, remaining, ...rest } = init;
      const counted = refill === undefined ? { remaining } : { refill, remaining: remaining ?? 7 };
      const apiId = isRecoverable ? "api_a" : "api_b";
      const members = { apiId, ...rest, ...counted, recoverable: isRecoverable };
      return Object.fromEntries(
        Object.entries(members).filter(([, value]) => value !== undefined),
      ) as typeof members;
    }),
  );

/** Any valid fixture of one workspace with two APIs. */
export const anyFixture: fc.Arbitrary<Fixture> = fc.record({
  workspace: fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom({ id: "ws_one" }, { id: "ws_two", name: "Two" }) },
    { weight: 1, arbitrary: fc.constant({ id: "ws_off", enabled: false }) },
  ),
  tokens: fc.constantFrom(
    [],
    [
      { token: "all", permissions: ["*"] },
      { token: "reader", permissions: ["api.*.read_key", "api.*.read_api"] },
      { token: "gone", enabled: false, permissions: ["*"] },
    ],
  ),
  apis: fc.constant([
    { id: "api_a", storeEncryptedKeys: true, defaultPrefix: "a", defaultByteLength: 20 },
    { id: "api_b", name: "B" },
  ]),
  permissions,
  roles: fc.constantFrom(
    [],
    [{ name: "admin", permissions: ["documents.read", "keys.*"] }, { name: "empty" }],
  ),
  identities: fc.constantFrom([], [{ externalId: "user_1", meta: { plan: "pro" } }]),
  keys: fc.array(key, { maxLength: 12 }),
  generate: fc.constantFrom([], [{ count: 3 }], [{ apiId: "api_b", count: 2 }]),
});
