import fc from "fast-check";
import { expect, test } from "vitest";
import { RecentEntries } from "../../src/control/recent-entries.ts";
import type { JournalEntry } from "../../src/control/recorded-request.ts";

const MEGABYTE = 1_048_576;

function entryOf(number: number, size: number): JournalEntry {
  return {
    operation: undefined,
    method: "POST",
    path: "/",
    time: number,
    requestId: `req_${number}`,
    status: 200,
    code: undefined,
    duration: 0,
    faults: [],
    input: { size: Math.ceil(size / 2), read: () => `input ${number}`, contains: () => true },
    answer: { size: Math.floor(size / 2), read: () => `answer ${number}` },
  };
}

test("the last 1,000 stay in their order, and what the newest hold as far as a megabyte goes", () => {
  const size = fc.oneof(
    { weight: 1, arbitrary: fc.constant(0) },
    { weight: 5, arbitrary: fc.nat(2_000) },
    { weight: 1, arbitrary: fc.integer({ min: 10_000, max: 100_000 }) },
  );
  fc.assert(
    fc.property(fc.array(size, { maxLength: 3_000, size: "max" }), (sizes) => {
      const recent = new RecentEntries();
      for (const [number, each] of sizes.entries()) recent.add(entryOf(number, each));

      const kept = recent.list();
      const first = Math.max(0, sizes.length - 1_000);
      expect(kept.map(({ time }) => time)).toEqual(
        Array.from({ length: sizes.length - first }, (_, index) => first + index),
      );
      const isThere = ({ input, time }: JournalEntry) => input.read() === `input ${time}`;
      const [sized, empty] = [true, false].map((isSized) =>
        kept.filter(({ time }) => (sizes[time] ?? 0) > 0 === isSized),
      ) as [JournalEntry[], JournalEntry[]];
      expect(empty.every(isThere)).toBe(true);
      const inputs = sized.map(isThere);
      expect(inputs).toEqual(inputs.toSorted((a, b) => Number(a) - Number(b)));
      const held = kept.reduce(
        (sum, { answer, input }) => sum + input.size + (answer?.size ?? 0),
        0,
      );
      expect(held).toBeLessThanOrEqual(MEGABYTE);
      // One more of those that were let go would have been too much.
      const last = inputs.lastIndexOf(false);
      const dropped = sized[last];
      if (dropped !== undefined) {
        expect(held + (sizes[dropped.time] ?? 0)).toBeGreaterThan(MEGABYTE);
      }
    }),
    { numRuns: 50 },
  );
});
