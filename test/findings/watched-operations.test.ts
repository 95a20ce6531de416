import { expect, test } from "vitest";
import type * as z from "zod/mini";
import { rules } from "../../src/findings/rules.ts";
import type { Rule } from "../../src/findings/rule.ts";
import { unwrap } from "../../src/schema/unwrap.ts";
import { createKey, givenEmulator, post } from "../_emulator.ts";
import { givenMigrations, hex, migrated } from "../operations/_migrations.ts";
import { rulesOf } from "./_programs.ts";

const SECONDS = 1_790_000_000;

/** Whether an input has this member, itself or in the items of a list. */
function takes(schema: z.core.$ZodType, member: string): boolean {
  const { def } = unwrap(schema)._zod as z.core.$ZodTypes["_zod"];
  if (def.type === "array") return takes(def.element, member);
  if (def.type !== "object") return false;
  return member in def.shape || Object.values(def.shape).some((each) => takes(each, member));
}

test.each([
  ["expires-in-seconds", "expires"],
  ["cursor-of-another-list", "cursor"],
])("%s looks at exactly the operations that take %s", async (rule, member) => {
  const emulator = await givenEmulator();
  const { operations } = rules.find(({ name }) => name === rule) as Rule;

  const taking = emulator.operations
    .filter(({ contract }) => takes(contract.input as z.core.$ZodType, member))
    .map(({ contract }) => contract.name);

  expect(new Set(taking)).toEqual(operations);
});

test("an expiry in seconds is found in an update of a key", async () => {
  const emulator = await givenEmulator();
  const { keyId } = (await createKey(emulator, { apiId: "api_one" })).body;

  await post(emulator, "/v2/keys.updateKey", { keyId, expires: SECONDS });

  expect(rulesOf(emulator)).toEqual(["expires-in-seconds"]);
});

test("an expiry in seconds is found in any key of a migration", async () => {
  const emulator = await givenMigrations();

  await migrated(emulator, [{ hash: hex("one") }, { hash: hex("two"), expires: SECONDS }]);

  expect(rulesOf(emulator)).toEqual(["expires-in-seconds"]);
});
