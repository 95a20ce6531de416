import { expect, test } from "vitest";
import type { Emulator, Fixture, LogEntry } from "../../src/index.ts";
import { createWarningLog } from "../../src/service/log.ts";
import { givenEmulator, NOW, post } from "../_emulator.ts";

// A key that is not valid, and a use over a limit, are answered 200. The hint says why.

const limit = { name: "requests", limit: 5, duration: 60_000, autoApply: true };
const fixture: Fixture = {
  apis: [{ id: "api_one", keyspaceId: "ks_one" }],
  keys: [
    { apiId: "api_one", key: "value_expired", expires: NOW - 120_000 },
    { apiId: "api_one", key: "value_old", expires: NOW - 1 },
    { apiId: "api_one", key: "value_disabled", enabled: false },
    { apiId: "api_one", key: "value_used_up", remaining: 0 },
    { apiId: "api_one", key: "value_low", remaining: 2 },
    { apiId: "api_one", key: "value_limited", ratelimits: [limit] },
    { apiId: "api_one", key: "value_reader", permissions: ["docs.read"] },
  ],
};

async function given(log: (entry: LogEntry) => void = () => {}): Promise<Emulator> {
  return givenEmulator({ fixtures: [fixture], log });
}

async function hintOf(emulator: Emulator, path: string, input: unknown): Promise<string | null> {
  const { headers, status } = await post(emulator, path, input);
  expect(status).toBe(200);
  return headers.get("X-Latchkey-Hint");
}

const both = { and: ["docs.read", "docs.write", { or: ["a", "b"] }] };

test.each<[code: string, v1: object | undefined, v2: object, hint: string]>([
  ["EXPIRED", {}, { key: "value_expired" }, "expired 2 minutes ago"],
  ["EXPIRED", {}, { key: "value_old" }, "expired just now"],
  ["DISABLED", {}, { key: "value_disabled" }, "the key is disabled"],
  ["USAGE_EXCEEDED", {}, { key: "value_used_up" }, "no uses left"],
  [
    "USAGE_EXCEEDED",
    { remaining: { cost: 3 } },
    { key: "value_low", credits: { cost: 3 } },
    "a cost of 3 with 2 uses left",
  ],
  [
    "INSUFFICIENT_PERMISSIONS",
    { authorization: { permissions: both } },
    { key: "value_reader", permissions: "docs.read AND docs.write AND (a OR b)" },
    "the key lacks docs.write and (a or b)",
  ],
  [
    "RATE_LIMITED",
    { ratelimits: [{ name: "own", limit: 3, duration: 3_600_000, cost: 4 }] },
    {
      key: "value_reader",
      ratelimits: [{ name: "own", limit: 3, duration: 3_600_000, cost: 4 }],
    },
    "a cost of 4, more than 3 per 1 h (own) ever allows",
  ],
  ["NOT_FOUND", undefined, { key: "value_none" }, "no key of this workspace has this value"],
  [
    "NOT_FOUND",
    undefined,
    { key: "value_reader", keyspaces: ["ks_two"] },
    "the key is of the keyspace ks_one, which is not among `keyspaces`",
  ],
])("a verification that is answered %s says why: %#", async (code, inV1, input, hint) => {
  const emulator = await given();

  expect(await hintOf(emulator, "/v2/keys.verifyKey", input)).toBe(hint);
  const { key } = input as { key: string };
  if (inV1 !== undefined) {
    expect(await hintOf(emulator, "/v1/keys.verifyKey", { key, ...inV1 })).toBe(hint);
  }
  for (const entry of emulator.requests.list()) {
    expect(entry).toMatchObject({ hint, answer: expect.anything() });
    expect(JSON.stringify(entry.answer)).toContain(`"code":"${code}"`);
  }
});

test("a verification of v1 says that no key has the value, and that a key is of another API", async () => {
  const emulator = await given();
  const verify = (input: object) => hintOf(emulator, "/v1/keys.verifyKey", input);

  expect(await verify({ key: "value_none" })).toBe("no key has this value");
  expect(await verify({ key: "value_low", apiId: "api_two" })).toBe("the key is of another API");
});

test("a valid key and an allowed use have no hint", async () => {
  const emulator = await given();
  const use = { namespace: "sms", identifier: "a", limit: 2, duration: 1_000 };

  expect(await hintOf(emulator, "/v2/keys.verifyKey", { key: "value_limited" })).toBeNull();
  expect(await hintOf(emulator, "/v2/ratelimit.limit", use)).toBeNull();
});

test("a key over its rate limit says which limit, how many uses there were, and when one is free", async () => {
  const emulator = await given();
  const verify = (version = "v2") =>
    hintOf(emulator, `/${version}/keys.verifyKey`, { key: "value_limited" });
  for (let use = 0; use < 5; use += 1) await verify();
  emulator.clock.advance("48s");

  // A little more than the window, because the uses of a window weigh fully when the next one begins.
  expect(await verify()).toBe("6th use of 5 per 1 min (requests), free in 13 s");
  // v1 needs no token, and its reply has no window, so the hint has none.
  expect(await verify("v1")).toBe("over the rate limit requests, whose window ends in 12 s");
  emulator.clock.advance("12s");
  expect(await verify()).toBe("6th use of 5 per 1 min (requests), free in 1 ms");
  emulator.clock.advance(1);
  expect(await verify()).toBeNull();
});

test.each([
  [10, 1, 35_000],
  [10, 4, 100],
  [7, 7, 59_999],
  [1_000, 250, 1],
])(
  "with %i uses, a cost of %i after %i ms is free when the hint says so",
  async (max, cost, at) => {
    const emulator = await given();
    const use = { namespace: "sms", identifier: "a", limit: max, duration: 60_000 };
    const path = "/v2/ratelimit.limit";
    await post(emulator, path, { ...use, cost: max });
    emulator.clock.advance(60_000 + at);
    // As many uses as fit beside those of the window before.
    while ((await hintOf(emulator, path, use)) === null);

    const hint = await hintOf(emulator, path, { ...use, cost });
    const [, wait = "", unit] = /free in (\d+) (ms|s)$/.exec(hint ?? "") ?? [];
    expect(unit, String(hint)).toBeDefined();

    emulator.clock.advance(Number(wait) * (unit === "s" ? 1_000 : 1));
    expect(await hintOf(emulator, path, { ...use, cost })).toBeNull();
  },
);

test("a refused use of a namespace says how many uses there were, in both versions", async () => {
  const emulator = await given();
  const use = { namespace: "sms", identifier: "a", limit: 2, duration: 60_000 };
  const calls = [
    // Half of the window before still counts as one use after 90 s.
    ["/v2/ratelimit.limit", "free in 61 s", "free in 91 s"],
    // The windows of v1 are fixed.
    ["/v1/ratelimits.limit", "free in 60 s", "free in 60 s"],
  ] as const;
  for (const [path, free, freeForTwo] of calls) {
    for (let count = 0; count < 2; count += 1) await post(emulator, path, use);

    expect(await hintOf(emulator, path, use)).toBe(`3rd use of 2 per 1 min, ${free}`);
    expect(await hintOf(emulator, path, { ...use, cost: 2 })).toBe(
      `a cost of 2 with 0 left of 2 per 1 min, ${freeForTwo}`,
    );
    expect(await hintOf(emulator, path, { ...use, cost: 3 })).toBe(
      "a cost of 3, more than 2 per 1 min ever allows",
    );
  }
  const batch = [use, { ...use, identifier: "b" }, { ...use, identifier: "c", cost: 1_234 }];
  expect(await hintOf(emulator, "/v2/ratelimit.multiLimit", batch)).toBe(
    "[0]: 3rd use of 2 per 1 min, free in 61 s; [2]: a cost of 1,234, more than 2 per 1 min ever allows",
  );
});

test("an answer that a fault gives has the hint of the fault alone", async () => {
  const emulator = await given();
  const use = { namespace: "sms", identifier: "a", limit: 2, duration: 60_000 };
  emulator.faults.add({ operation: "keys.verifyKey", answer: "RATE_LIMITED" });
  emulator.faults.add({ operation: "ratelimit.limit", answer: "RATE_LIMITED" });

  for (const version of ["v1", "v2"]) {
    const path = `/${version}/keys.verifyKey`;
    expect(await hintOf(emulator, path, { key: "value_limited" })).toMatch(/^hit by fault_1 /);
  }
  expect(await hintOf(emulator, "/v2/ratelimit.limit", use)).toMatch(/^hit by fault_2 /);
});

test("a hint is a valid header, whatever the names of limits and permissions are", async () => {
  const emulator = await given();
  const ratelimits = [{ name: "größe\n🔑", limit: 1, duration: 1_000, cost: 2 }];

  const input = { key: "value_reader", ratelimits };
  expect(await hintOf(emulator, "/v2/keys.verifyKey", input)).toBe(
    "a cost of 2, more than 1 per 1 s (gr?e?) ever allows",
  );
  const authorization = { permissions: { and: ["ü".repeat(200), "b\r\nc"] } };
  expect(await hintOf(emulator, "/v1/keys.verifyKey", { key: "value_reader", authorization })).toBe(
    "the key lacks (200 characters) and b?c",
  );
});

test("the log has the hint of a key that is not valid, and a log of warnings leaves it out", async () => {
  const entries: unknown[] = [];
  const warnings: string[] = [];
  const warn = createWarningLog(
    (message) => warnings.push(message),
    () => {},
  );
  const emulator = await given((entry) => {
    if (entry.kind === "request") entries.push([entry.verifiedAs, entry.hint, entry.isEcho]);
    warn(entry);
  });
  await post(emulator, "/v2/keys.verifyKey", { key: "value_disabled" });
  await post(emulator, "/v1/keys.verifyKey", { key: "value_expired" });
  await post(emulator, "/v2/keys.verifyKey", { key: "value_low" });

  expect(entries).toEqual([
    ["DISABLED", "the key is disabled", true],
    ["EXPIRED", "expired 2 minutes ago", true],
    ["VALID", undefined, undefined],
  ]);
  expect(warnings).toEqual([]);
});
