import { describe, expect, test } from "vitest";
import type { Emulator, Fixture, LogEntry } from "../../src/index.ts";
import {
  createKey,
  givenEmulator,
  NOW,
  post,
  type Answer,
  type CallOptions,
} from "../_emulator.ts";
import { createKeyV2 } from "../_v2.ts";
import { call, expectResult, shown, stateOf, versions } from "./_keys.ts";
import { expectNothingLeft, keyTexts, noKey } from "./_refusals.ts";

const calls = { name: "calls", limit: 5, duration: 60_000, autoApply: true };

/** Keys whose value is their id with `value` in place of `key`. */
const world = (permissions: string[] = []): Fixture[] => [
  {
    workspace: { id: "ws_test" },
    tokens: [
      { token: "any_token", permissions: ["*"] },
      { token: "limited", permissions },
    ],
    apis: [{ id: "api_one", storeEncryptedKeys: true }],
    identities: [{ id: "id_ann", externalId: "ann", meta: { plan: "pro" }, ratelimits: [calls] }],
    roles: [{ name: "admin", permissions: ["c.role", "a.read"] }],
    keys: [
      {
        id: "key_full",
        apiId: "api_one",
        key: "value_full",
        start: "value",
        recoverable: true,
        name: "Full",
        externalId: "ann",
        meta: { team: "<web>" },
        createdAt: 5,
        updatedAt: 6,
        lastUsedAt: 7,
        expires: NOW - 1_000,
        remaining: 100,
        refill: { interval: "monthly", amount: 50, refillDay: 1, lastRefillAt: 8 },
        ratelimits: [calls],
        roles: ["admin"],
        permissions: ["d.own", "a.read", "b.own"],
        enabled: false,
        environment: "live",
      },
      {
        id: "key_bare",
        apiId: "api_one",
        key: "value_bare",
        start: "value",
        createdAt: 5,
        meta: {},
      },
    ],
  },
  {
    workspace: { id: "ws_other" },
    tokens: [{ token: "other_token", permissions: ["*"] }],
    apis: [{ id: "api_other" }],
    keys: [{ apiId: "api_other", key: "value_other" }],
  },
];

const givenWorld = (permissions?: string[]) => givenEmulator({ fixtures: world(permissions) });
const whoami = (emulator: Emulator, key: unknown, options?: CallOptions) =>
  call(emulator, "v2", "whoami", { key }, options);

const expectNotFound = (emulator: Emulator, detail: string, act: () => Promise<Answer>) =>
  expectNothingLeft(emulator, noKey(detail), act);

describe("keys.whoami", () => {
  test("shows the record of the key, with its permissions sorted and without its value", async () => {
    const emulator = await givenWorld();

    const answer = await whoami(emulator, "value_full");

    const { data } = answer.body;
    const record = await shown(emulator, "v2", "key_full");
    expect(data.permissions).toEqual(["a.read", "b.own", "c.role", "d.own"]);
    expectResult(answer, "v2", { ...record, permissions: data.permissions });
    expect(record.permissions).toEqual(expect.arrayContaining(data.permissions));
  });

  test("leaves out what is not set or empty", async () => {
    const emulator = await givenWorld();

    expectResult(await whoami(emulator, "value_bare"), "v2", {
      createdAt: 5,
      enabled: true,
      keyId: "key_bare",
      start: "value",
    });
  });

  test.each([
    ["of one character", "x"],
    ["of 512 characters", "x".repeat(512)],
    ["of any characters", "any <text> 🔑"],
    ["that is the id of a key", "key_full"],
  ])("finds no key for a text %s", async (_, key) => {
    const emulator = await givenWorld();

    for (const token of ["any_token", "limited"]) {
      await expectNotFound(emulator, keyTexts.unknown, () => whoami(emulator, key, { token }));
    }
  });

  test("does not find a key of another workspace", async () => {
    const emulator = await givenWorld();

    await expectNotFound(emulator, keyTexts.other, () => whoami(emulator, "value_other"));
    const own = await whoami(emulator, "value_other", { token: "other_token" });
    expect(own.status).toBe(200);
  });

  test.each(versions)("finds keys that were created with %s, recoverable or not", async (made) => {
    const emulator = await givenWorld();
    const create = made === "v1" ? createKey : createKeyV2;
    for (const recoverable of [true, false]) {
      const { body } = await create(emulator, { apiId: "api_one", recoverable });
      const { key, keyId } = made === "v1" ? body : body.data;

      const answer = await whoami(emulator, key);

      expect(answer.body).toMatchObject({ data: { keyId } });
      expect(JSON.stringify(answer.body)).not.toContain(key);
    }
  });

  test("uses up nothing, and is no change of the key", async () => {
    const emulator = await givenWorld();
    const before = stateOf(emulator);

    for (const key of ["value_full", "value_bare"]) {
      expect((await whoami(emulator, key)).status).toBe(200);
    }

    expect(stateOf(emulator)).toEqual(before);
  });

  test("shows no value in refusals, log and journal", async () => {
    const log: LogEntry[] = [];
    const emulator = await givenEmulator({
      fixtures: world(),
      log: (entry) => void log.push(entry),
    });
    const { body } = await createKey(emulator, { apiId: "api_one" });

    const answers = [
      await whoami(emulator, body.key),
      await whoami(emulator, body.key, { token: "limited" }),
      await whoami(emulator, body.key, { token: "other_token" }),
      await post(emulator, "/v2/keys.whoami", `{"key":"${body.key}"`),
    ];

    const bodies = answers.map((answer) => [answer.body, [...answer.headers]]);
    const [, ...requests] = emulator.requests.list();
    expect(requests).toHaveLength(4);
    expect(JSON.stringify([bodies, log, requests])).not.toContain(body.key);
  });
});
