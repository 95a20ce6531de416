import { expect, test } from "vitest";
import * as z from "zod";
import { successors } from "../../src/operations/v1/successors.ts";
import { operationsOf } from "../../src/operations/table.ts";

const v1 = operationsOf(["v1"]).map(({ contract }) => contract);
const v2 = new Map(operationsOf(["v2"]).map(({ contract }) => [contract.name, contract]));

const refill = { interval: "monthly", amount: 5 };
const day = { ...refill, refillDay: 1 };
const calls: [name: string, input: object, operation: string, body: object, notes?: string[]][] = [
  [
    "keys.getKey",
    { keyId: "key_1", decrypt: true },
    "keys.getKey",
    { keyId: "key_1", decrypt: true },
  ],
  ["keys.deleteKey", { keyId: "key_1" }, "keys.deleteKey", { keyId: "key_1" }],
  [
    "keys.updateRemaining",
    { keyId: "key_1", op: "set", value: null },
    "keys.updateCredits",
    { keyId: "key_1", operation: "set", value: null },
  ],
  [
    "keys.updateKey",
    {
      keyId: "key_1",
      name: null,
      ownerId: "ann",
      expires: 0,
      remaining: 5,
      refill,
      ratelimit: { limit: 1, refillInterval: 1000 },
      roles: [{ name: "a" }],
      permissions: [],
    },
    "keys.updateKey",
    {
      keyId: "key_1",
      name: null,
      externalId: "ann",
      expires: null,
      credits: { remaining: 5, refill: day },
      ratelimits: [{ name: "default", limit: 1, duration: 1000, autoApply: true }],
      roles: ["a"],
      permissions: [],
    },
    ["`ratelimits` replaces all rate limits of the key"],
  ],
  [
    "keys.updateKey",
    { keyId: "key_1", refill: null, roles: [{ id: "role_1" }] },
    "keys.updateKey",
    { keyId: "key_1", credits: { refill: null }, roles: [] },
    ["v2 takes names and no ids"],
  ],
  [
    "keys.verifyKey",
    {
      key: "abc",
      apiId: "api_one",
      remaining: { cost: 2 },
      authorization: { permissions: { and: ["a", { or: ["b", "c"] }] } },
    },
    "keys.verifyKey",
    { key: "abc", credits: { cost: 2 }, permissions: "(a AND (b OR c))" },
    [
      "v2 needs a token with the permission to verify",
      "v2 has no apiId: the permission of the token decides which APIs count",
    ],
  ],
  [
    "keys.setPermissions",
    { keyId: "key_1", permissions: [{ slug: "a.b" }, { name: "c.d", create: true }] },
    "keys.setPermissions",
    { keyId: "key_1", permissions: ["a.b", "c.d"] },
  ],
  ["apis.createApi", { name: "Payments" }, "apis.createApi", { name: "Payments" }],
  [
    "ratelimits.limit",
    { namespace: "default", identifier: "a", limit: 1, duration: 1000, async: true, meta: {} },
    "ratelimit.limit",
    { namespace: "default", identifier: "a", limit: 1, duration: 1000 },
    ["v2 counts in a sliding window"],
  ],
];

test.each(calls)("%s of v1 with %j is %s of v2", (name, input, operation, body, notes = []) => {
  const successor = successors[name]?.(input as never, () => []);

  expect({ operation: name, ...successor }).toEqual({ operation, body, notes });
  const { success } = z.safeParse(v2.get(operation)?.input as unknown as z.ZodType, body);
  expect(success).toBe(true);
});

test("every operation of v1 has a successor in v2, except apis.deleteKeys", () => {
  const without = v1.map(({ name }) => name).filter((name) => successors[name] === undefined);

  expect(without).toEqual(["apis.deleteKeys"]);
});
