import fc from "fast-check";
import { expect, test } from "vitest";
import { RecentEntries } from "../../src/journal/recent-entries.ts";
import { RecordedContent } from "../../src/journal/recorded-content.ts";
import type { JournalEntry } from "../../src/journal/recorded-request.ts";

const MEGABYTE = 1_048_576;

function entryOf(number: number, size: number): JournalEntry {
  return {
    version: undefined,
    operation: undefined,
    method: "POST",
    path: "/",
    time: number,
    requestId: `req_${number}`,
    status: 200,
    code: undefined,
    hint: undefined,
    type: undefined,
    duration: 0,
    faults: [],
    input: RecordedContent.ofSummary(`input ${number}`, Math.ceil(size / 2)),
    answer: RecordedContent.ofSummary(`answer ${number}`, Math.floor(size / 2)),
    mask: (text) => text,
  };
}

test("the journal keeps the last 1,000 entries in order, and the content of the newest up to a megabyte", () => {
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
      const isThere = ({ input, time }: JournalEntry) =>
        input.read((text) => text) === `input ${time}`;
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
      // Keeping one more dropped content would have exceeded the megabyte.
      const last = inputs.lastIndexOf(false);
      const dropped = sized[last];
      if (dropped !== undefined) {
        expect(held + (sizes[dropped.time] ?? 0)).toBeGreaterThan(MEGABYTE);
      }
    }),
    { numRuns: 50 },
  );
});

test("an entry that ends late gets no answer if there is no room, and newer entries keep their content", () => {
  const recent = new RecentEntries();
  const [late, ...others] = Array.from({ length: 30 }, (_, number) => entryOf(number, 100_000));
  if (late === undefined) throw new Error("there are some");
  for (const entry of [late, ...others]) recent.add(entry);
  const whole = () =>
    others.filter(({ input, time }) => input.read((text) => text) === `input ${time}`);
  const before = whole();

  const answer = RecordedContent.ofSummary("late", 90_000);
  const isThere = recent.finish(late, { ...late, status: 500, answer });

  expect(isThere).toBe(true);
  expect(late.status).toBe(500);
  expect(late.answer?.read((text) => text)).toBe("(removed: the journal keeps 1 MiB of bodies)");
  expect(whole()).toEqual(before);
  expect(before.length).toBeGreaterThan(5);
  recent.add(entryOf(30, 100_000));
  expect(whole()).toEqual(before.slice(1));
});

test("an entry that the journal no longer keeps still gets its status, and finish returns false", () => {
  const recent = new RecentEntries();
  const gone = entryOf(0, 10);
  recent.add(gone);
  for (let number = 1; number <= 1_000; number += 1) recent.add(entryOf(number, 0));

  expect(recent.finish(gone, { ...gone, status: 503 })).toBe(false);
  expect(gone.status).toBe(503);
});
