import fc from "fast-check";
import { expect, test } from "vitest";
import { idAfter, IdSequence } from "../../src/state/ids/id-maker.ts";

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

test("a time before the epoch counts as zero seconds, which are padded with 1", () => {
  const [first, same] = [0, EPOCH].map((time) => new IdSequence("key", "seed").next(time));

  expect(first).toBe(same);
  expect(first).toMatch(/^key_1/);
});

test("all ids after an observed id are greater than it", () => {
  const sequence = new IdSequence("key", "seed");
  const given = new IdSequence("key", "other").next(Date.UTC(2040, 0));
  sequence.observe(given);

  expect(sequence.next(EPOCH) > given).toBe(true);
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

test("a sequence that starts from the state of another continues with the same ids", () => {
  const first = new IdSequence("key", "seed");
  first.next(EPOCH + 5_000);
  first.observe("key_8zzzzzzzzzzzzzzz");

  const second = new IdSequence("key", "seed", JSON.parse(JSON.stringify(first.state)));

  expect(second.state).toEqual(first.state);
  expect(second.next(EPOCH)).toBe(first.next(EPOCH));
});

test("idAfter depends on time and address alone, and its ids sort by time", () => {
  const time = fc.integer({ min: 0, max: 8e11 });
  fc.assert(
    fc.property(time, time, fc.string(), fc.string(), (one, two, here, there) => {
      const [first, second] = [idAfter("key", one, here), idAfter("key", two, there)];

      expect(first).toMatch(ID);
      expect(idAfter("key", one, here)).toBe(first);
      if (one < two) expect(first < second).toBe(true);
    }),
  );
});

test("a sequence that observed an id of idAfter continues with greater ids", () => {
  for (const time of [0, 1_234, 8e11]) {
    const sequence = new IdSequence("key", "seed");
    const given = idAfter("key", time, "address");
    sequence.observe(given);

    expect(sequence.next(EPOCH) > given).toBe(true);
  }
});
