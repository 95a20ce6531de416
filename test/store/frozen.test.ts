import { expect, test } from "vitest";
import { givenEmulator } from "../_emulator.ts";

test("the error of an assignment to a record names update, and the record looks as before", async () => {
  const emulator = await givenEmulator();
  const key = await emulator.keys.create({ apiId: "api_one", id: "key_1", name: "CI" });
  const identity = await emulator.identities.create({ externalId: "acme" });

  for (const record of [key, identity] as { id: string }[]) {
    expect(() => {
      record.id = "other";
    }).toThrow("a record is frozen, so change it with `update` of its collection");
  }
  expect({ ...key }).not.toHaveProperty("message");
  expect(JSON.stringify(identity)).not.toContain("frozen");
  expect(Object.prototype.toString.call(key)).toBe("[object Object]");
});
