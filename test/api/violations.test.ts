import { expect, test } from "vitest";
import { givenEmulator, post } from "../_emulator.ts";

test("all missing members of one object are one violation, in the order of the schema", async () => {
  const emulator = await givenEmulator();

  const { body } = await post(emulator, "/v2/keys.createKey", { name: 5, ratelimits: [{}] });

  expect(body.error.errors).toEqual([
    { location: "/required", message: "missing property 'apiId'" },
    { location: "/properties/name/type", message: "got number, want string" },
    {
      location: "/properties/ratelimits/items/required",
      message: "missing properties 'name', 'limit', 'duration', 'autoApply'",
    },
  ]);
});
