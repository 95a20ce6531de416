import { expect, test } from "vitest";
import type { Key } from "../../src/store/key.ts";
import { UsageCounts } from "../../src/store/usage-counts.ts";

const DAY = 86_400_000;

function keyOf(id: string, lastUsedAt?: number): Key {
  return { id, lastUsedAt } as Key;
}

test("counts are by key, day and outcome", () => {
  const counts = new UsageCounts();
  counts.count(keyOf("a"), "VALID", 0);
  counts.count(keyOf("a", 0), "VALID", DAY - 1);
  counts.count(keyOf("a", DAY - 1), "EXPIRED", DAY);
  counts.count(keyOf("b"), "VALID", DAY);

  expect(counts.on(0, "a")?.outcomes).toEqual({ VALID: 2 });
  expect(counts.on(1, "a")?.outcomes).toEqual({ EXPIRED: 1 });
  expect(counts.on(1, "b")?.outcomes).toEqual({ VALID: 1 });
  expect(counts.on(0, "b")).toBeUndefined();
});

test("the key before its first verification is known, whatever the clock says later", () => {
  const counts = new UsageCounts();
  counts.count(keyOf("a", 7), "VALID", 5 * DAY);
  counts.count(keyOf("a", 5 * DAY), "VALID", DAY);

  expect(counts.before("a")?.lastUsedAt).toBe(7);
  expect(counts.before("b")).toBeUndefined();
});

test("the latest 100,000 pairs of a key and a day are kept, within a thousand", () => {
  const counts = new UsageCounts();
  counts.count(keyOf("first"), "VALID", 0);
  for (let number = 0; number < 100_000; number += 1) {
    counts.count(keyOf(`key_${number}`), "VALID", DAY);
  }

  expect(counts.on(0, "first")).toBeUndefined();
  expect(counts.on(1, "key_998")).toBeUndefined();
  expect(counts.on(1, "key_999")?.outcomes).toEqual({ VALID: 1 });
  expect(counts.on(1, "key_99999")?.outcomes).toEqual({ VALID: 1 });
});
