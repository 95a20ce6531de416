import fc from "fast-check";
import { expect, test } from "vitest";
import { idAfter, IdSequence } from "../../src/state/id-maker.ts";

const EPOCH = 1_700_000_000_000;
const ID = /^key_[1-9A-HJ-NP-Za-km-z]{16}$/;

test("ids strictly increase however the clock goes", () => {
  const time = fc.integer({ min: 0, max: Date.UTC(2100, 0) });
  fc.assert(
    fc.property(fc.array(time, { minLength: 2, maxLength: 300 }), (times) => {
      const sequence = new IdSequence("key", "seed");
      const ids = times.map((moment) => sequence.next(moment));

      expect(new Set(ids).size).toBe(ids.length);
      expect(ids).toEqual(ids.toSorted());
      expect(ids.every((id) => ID.test(id))).toBe(true);
    }),
  );
});

test("an observed id of another form has no effect on later ids", () => {
  const sequence = new IdSequence("key", "seed");
  for (const id of [
    "key_ci",
    "api_zzzzzzzzzzzzzzzz",
    `key_${"z".repeat(16)}`,
    `key_${"0".repeat(16)}`,
  ])
    sequence.observe(id);

  expect(sequence.next(EPOCH)).toBe(new IdSequence("key", "seed").next(EPOCH));
});

test("a sequence that observed an id of idAfter continues with greater ids", () => {
  for (const time of [0, 1_234, 8e11]) {
    const sequence = new IdSequence("key", "seed");
    const given = idAfter("key", time, "address");
    sequence.observe(given);

    expect(sequence.next(EPOCH) > given).toBe(true);
  }
});
