import { expect, test } from "vitest";
import { Key } from "../../src/store/key.ts";
import { ValueIndex } from "../../src/store/tables/value-index.ts";
import { givenEmulator } from "../_emulator.ts";

const members = { apiId: "api_one", start: "", createdAt: 0, enabled: true };
const givenKey = (id: string, value: string) =>
  new Key({ ...members, id, ratelimits: [], roles: [], permissions: [] }, value);

test.each([
  ["each with another value", (number: number) => `value_${number}`],
  ["all with the same value, as after resets", () => "value"],
])("the index forgets keys that are gone, %s", (_, valueOf) => {
  const index = new ValueIndex();

  for (let number = 0; number < 25_000; number += 1) {
    const key = givenKey(`key_${number}`, valueOf(number));
    index.addAll([key], 1);

    if (number % 1_000 === 0) {
      const table = { find: (_: string, id: unknown) => (id === key.id ? key : undefined) };
      expect(index.find(valueOf(number), table)).toBe(key);
    }
  }

  // It changes when all entries are dropped.
  expect(index.generation).toBe(2);
});

test("a key is found by its value after 12,000 others were made and deleted", async () => {
  const { keys } = await givenEmulator();
  const { id } = await keys.create({ apiId: "api_one", key: "kept_value" });
  expect(keys.findByValue("kept_value")?.id).toBe(id);

  for (let round = 0; round < 12; round += 1) {
    await keys.createMany(1_000, () => ({ apiId: "api_one", ownerId: "gone" }));
    await keys.deleteMany((query) => query.where((key) => key.ownerId === "gone"));
  }

  expect(keys.findByValue("kept_value")?.id).toBe(id);
  const { id: later } = await keys.create({ apiId: "api_one", key: "later_value" });
  expect(keys.findByValue("later_value")?.id).toBe(later);
});
