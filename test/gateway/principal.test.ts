import { expect, test } from "vitest";
import { type Principal, principalHeader, principalOf } from "../../src/gateway.ts";
import { UsageError } from "../../src/index.ts";
import { NOW } from "../_emulator.ts";
import { givenGateway } from "./_gateway.ts";

const fixtures = [
  {
    apis: [{ id: "api_one", keyspaceId: "ks_one" }],
    roles: [{ name: "admin", permissions: ["orders.write"] }],
    identities: [{ externalId: "user_42", meta: { plan: "pro" } }],
    keys: [
      { id: "key_bare", apiId: "api_one", key: "bare_key" },
      {
        id: "key_full",
        apiId: "api_one",
        key: "full_key",
        name: "prod",
        externalId: "user_42",
        expires: NOW + 60_000,
        credits: { remaining: 43 },
        meta: { z: 1, a: { d: "<&>\u2028", c: [{ f: 1, e: "\u00fc" }] }, 10: 1, 9: 2 },
        roles: ["admin"],
        permissions: ["orders.read"],
      },
      { id: "key_named", apiId: "api_one", key: "named_key", name: "", credits: { remaining: 1 } },
    ],
  },
];
const given = () => givenGateway({ policies: [{ keyauth: {} }], emulator: { fixtures } });

test("the principal of a key without optional members has none either", async () => {
  const { askWith } = await given();

  expect((await askWith("bare_key")).text).toBe(
    '{"version":"v1","subject":"key_bare","type":"API_KEY","source":{"key":{"keyId":"key_bare","keySpaceId":"ks_one","meta":{}}}}',
  );
});

test("a principal has the service's members in its order, as JSON that Go writes, in UTF-8", async () => {
  const { askWith, seen } = await given();

  const { text } = await askWith("full_key");
  expect(seen[0]?.headers.get("X-Unkey-Principal")).toBe(text);
  const written = Buffer.from(text, "latin1").toString("utf8");
  const meta = String.raw`{"10":1,"9":2,"a":{"c":[{"e":"ü","f":1}],"d":"\u003c\u0026\u003e\u2028"},"z":1}`;
  expect(written).toBe(
    `{"version":"v1","subject":"user_42","type":"API_KEY","identity":{"externalId":"user_42","meta":{"plan":"pro"}},"source":{"key":{"keyId":"key_full","keySpaceId":"ks_one","name":"prod","expiresAt":${NOW + 60_000},"credits":42,"meta":${meta},"roles":["admin"],"permissions":["orders.read","orders.write"]}}}`,
  );
});

test("a principal has 0 credits after the last one, and no empty name", async () => {
  const { askWith } = await given();

  expect((await askWith("named_key")).principal?.source.key).toEqual({
    keyId: "key_named",
    keySpaceId: "ks_one",
    credits: 0,
    meta: {},
  });
});

test("principalOf and principalHeader give what the gateway sends", async () => {
  const { askWith, emulator } = await given();

  for (const key of ["bare_key", "full_key"]) {
    const principal = await principalOf(emulator, key);
    // The gateway takes a credit.
    const { credits } = principal.source.key;
    const used = credits === undefined ? {} : { credits: credits - 1 };
    const source = { key: { ...principal.source.key, ...used } };
    expect((await askWith(key)).text).toBe(principalHeader({ ...principal, source }));
  }
});

test("principalOf takes no credits, counts no limit, and makes no call", async () => {
  const { emulator } = await givenGateway();

  for (let time = 0; time < 3; time += 1) {
    await principalOf(emulator, "ord_limited");
    expect((await principalOf(emulator, "ord_few")).source.key.credits).toBe(3);
  }
  expect(emulator.requests.count()).toBe(0);
});

test.each([
  ["ord_none", "expected the value of a key"],
  ["ord_disabled", "is disabled"],
  ["ord_expired", "key_old expired at 2025-12-31T23:59:59.999Z"],
  ["ord_used_up", "key_used has no credits left"],
])("principalOf throws for a key that the gateway refuses: %s", async (key, reason) => {
  const { emulator } = await givenGateway();

  const refusal = await principalOf(emulator, key).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(UsageError);
  expect((refusal as UsageError).message).toContain(reason);
  expect((refusal as UsageError).message).not.toContain(key);
});

test("principalOf reads an isolated workspace", async () => {
  const { emulator } = await givenGateway({ emulator: { isolate: true } });

  expect((await principalOf(emulator.workspace("mine"), "ord_good")).subject).toBe("key_good");
});

test("principalHeader accepts a principal that was written by hand", () => {
  const principal: Principal = {
    version: "v1",
    subject: "\u007f",
    type: "API_KEY",
    source: { key: { keyId: "key_1", keySpaceId: "ks_1", meta: { b: 1, a: 2 } } },
  };

  expect(principalHeader(principal)).toBe(
    String.raw`{"version":"v1","subject":"\u007f","type":"API_KEY","source":{"key":{"keyId":"key_1","keySpaceId":"ks_1","meta":{"a":2,"b":1}}}}`,
  );
});
