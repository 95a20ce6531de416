import { expect, test } from "vitest";
import { givenEmulator } from "../_emulator.ts";

const inits = {
  tokens: { token: "token_one" },
  apis: { id: "api_two" },
  permissions: { name: "read" },
  roles: { name: "admin" },
  identities: { externalId: "acme" },
  ratelimitNamespaces: { name: "emails" },
  migrations: { id: "migration_one" },
  keys: { apiId: "api_one", name: "CI" },
};

test.each(Object.entries(inits))("a record of %s is a plain frozen object", async (kind, init) => {
  const emulator = await givenEmulator();
  const collection = emulator[kind as "keys"];
  const record: object = await collection.create(init as never);

  expect([String(record), [record].join(), new Error(record as never).message]).toEqual(
    Array.from({ length: 3 }, () => "[object Object]"),
  );
  expect("message" in record).toBe(false);
  expect(() => Object.assign(record, { [Object.keys(init)[0] as string]: "other" })).toThrow(
    "Cannot assign to read only property",
  );
});
