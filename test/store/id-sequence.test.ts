import fc from "fast-check";
import { expect, test } from "vitest";
import { idAfter, IdSequence } from "../../src/store/ids/id-sequence.ts";

const EPOCH = 1_700_000_000_000;
const ID = /^key_[1-9A-HJ-NP-Za-km-z]{16}$/;

test("ids have the prefix and sixteen base58 characters", () => {
  const sequence = new IdSequence("key", "seed");

  for (const time of [0, EPOCH - 1, EPOCH, EPOCH + 1_000, Date.now(), Date.UTC(2051, 0)]) {
    expect(sequence.next(time)).toMatch(ID);
  }
});

test("ids of a later second are greater, compared bytewise", () => {
  const ids = [0, 1, 60, 86_400, 31_536_000, 500_000_000].map((seconds) =>
    new IdSequence("key", `seed ${seconds}`).next(EPOCH + seconds * 1_000),
  );

  expect(ids).toEqual(ids.toSorted());
});

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

test("100,000 ids of the same millisecond strictly increase", () => {
  const sequence = new IdSequence("key", "seed");
  let last = "";
  for (let index = 0; index < 100_000; index += 1) {
    const id = sequence.next(EPOCH + 5_000);
    if (id <= last) expect.fail(`${id} follows ${last}`);
    last = id;
  }
});

test("a time before the epoch counts as zero seconds", () => {
  expect(new IdSequence("key", "seed").next(0)).toBe(new IdSequence("key", "seed").next(EPOCH));
});

test("ids are padded with 1, the digit zero", () => {
  expect(new IdSequence("key", "seed").next(0)).toMatch(/^key_1/);
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
    "key_zzzzzzzzzzzzzzzz",
    "key_0000000000000000",
  ]) {
    sequence.observe(id);
  }

  expect(sequence.next(EPOCH)).toBe(new IdSequence("key", "seed").next(EPOCH));
});

test("the same random stream makes the same ids, and another stream makes others", () => {
  const first = new IdSequence("key", "seed");
  const made = [first.next(EPOCH), first.next(EPOCH)];
  const second = new IdSequence("key", "seed");

  expect([second.next(EPOCH), second.next(EPOCH)]).toEqual(made);
  expect(new IdSequence("key", "another").next(EPOCH)).not.toBe(made[0]);
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
