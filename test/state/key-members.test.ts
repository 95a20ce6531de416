import { expect, test } from "vitest";
import { type Complete, Key, type KeyMembers } from "../../src/state/keys/key.ts";

test("a key keeps every member that it is made with", () => {
  const members: Complete<KeyMembers> = {
    id: "key_one",
    apiId: "api_one",
    start: "pay_1",
    migrationId: "mig_one",
    name: "CI",
    environment: "live",
    ownerId: "user_1",
    identityId: "id_one",
    meta: { plan: "pro" },
    createdAt: 1,
    updatedAt: 2,
    expires: 3,
    lastUsedAt: 4,
    remaining: 5,
    refill: { interval: "monthly", amount: 6, refillDay: 7, lastRefillAt: 8 },
    ratelimits: [{ name: "calls", limit: 9, duration: 1_000, autoApply: true }],
    roles: ["admin"],
    permissions: ["read"],
    enabled: true,
    plaintext: "pay_1234",
  };

  expect({ ...new Key(members) }).toEqual(members);
});
