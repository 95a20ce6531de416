import fc from "fast-check";
import { expect, test } from "vitest";
import { codePoint } from "../../_code-point.ts";
import { createKey, givenEmulator, listKeys } from "../../_emulator.ts";

const member = fc.constantFrom(
  "apiId",
  "prefix",
  "name",
  "byteLength",
  "ownerId",
  "externalId",
  "meta",
  "roles",
  "permissions",
  "expires",
  "remaining",
  "refill",
  "interval",
  "amount",
  "refillDay",
  "ratelimit",
  "type",
  "async",
  "limit",
  "duration",
  "refillRate",
  "refillInterval",
  "enabled",
  "recoverable",
  "environment",
  "__proto__",
  "constructor",
  "toString",
  "length",
  "",
);
const leaf = fc.oneof(
  fc.jsonValue({ maxDepth: 0 }),
  fc.constantFrom(
    "api_one",
    "api_vault",
    "daily",
    "monthly",
    "fast",
    "\ud800",
    "\udfff\ud800",
    "\u0000",
  ),
  fc.string({ unit: codePoint }),
  fc.integer(),
  fc.double(),
);
const { body } = fc.letrec((tie) => ({
  body: fc.oneof({ maxDepth: 5 }, tie("object"), tie("tree")),
  tree: fc.oneof(
    { maxDepth: 5, depthSize: "small" },
    leaf,
    tie("object"),
    fc.array(tie("tree"), { maxLength: 4 }),
  ),
  object: fc.dictionary(member, tie("tree"), { maxKeys: 8, noNullPrototype: true }),
}));

test("createKey answers any JSON with a key or an error that names a path, never with 500", async () => {
  await fc.assert(
    fc.asyncProperty(body, fc.boolean(), async (value, hasApi) => {
      const emulator = await givenEmulator();
      const given =
        hasApi && typeof value === "object" && value !== null && !Array.isArray(value)
          ? { ...value, apiId: "api_vault" }
          : value;

      const answer = await createKey(emulator, JSON.stringify(given) ?? "");

      if (answer.status === 200) {
        expect(answer.body.key).toBeTypeOf("string");
        const [key] = emulator.keys.all();
        const list = await listKeys(emulator, { apiId: key?.apiId ?? "", decrypt: true });
        expect(list.body.keys.map(({ id }: { id: string }) => id)).toEqual([answer.body.keyId]);
      } else {
        expect([400, 404, 412]).toContain(answer.status);
        expect(answer.body.error.message).toMatch(/^[^:]+: /);
        expect(emulator.keys.count() + emulator.identities.count() + emulator.roles.count()).toBe(
          0,
        );
      }
    }),
    { numRuns: 500 },
  );
  expect(Object.keys(Object.prototype)).toEqual([]);
}, 120_000);

test("listKeys answers any query, and createKey any bytes, with a documented status", async () => {
  const emulator = await givenEmulator();
  await fc.assert(
    fc.asyncProperty(
      fc.webQueryParameters(),
      fc.uint8Array({ maxLength: 64 }),
      async (query, bytes) => {
        expect([200, 400, 404]).toContain(
          (await listKeys(emulator, `apiId=api_one&${query}`)).status,
        );
        expect([400, 404]).toContain((await createKey(emulator, bytes)).status);
      },
    ),
    { numRuns: 300 },
  );
});
