import { expect, test } from "vitest";
import { UsageCounts } from "../../src/store/usage-counts.ts";

const DAY = 86_400_000;

test("counts are by key, day and outcome", () => {
  const counts = new UsageCounts();
  counts.count("a", "VALID", 0);
  counts.count("a", "VALID", DAY - 1);
  counts.count("a", "EXPIRED", DAY);
  counts.count("b", "VALID", DAY);

  expect(counts.on(0, "a")).toEqual({ VALID: 2 });
  expect(counts.on(1, "a")).toEqual({ EXPIRED: 1 });
  expect(counts.on(1, "b")).toEqual({ VALID: 1 });
  expect(counts.on(0, "b")).toBeUndefined();
});

test("the latest 100,000 pairs of a key and a day are kept, within a thousand", () => {
  const counts = new UsageCounts();
  counts.count("first", "VALID", 0);
  for (let number = 0; number < 100_000; number += 1) {
    counts.count(`key_${number}`, "VALID", DAY);
  }

  expect(counts.on(0, "first")).toBeUndefined();
  expect(counts.on(1, "key_998")).toBeUndefined();
  expect(counts.on(1, "key_999")).toEqual({ VALID: 1 });
  expect(counts.on(1, "key_99999")).toEqual({ VALID: 1 });
});
