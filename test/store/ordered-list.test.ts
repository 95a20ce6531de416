import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { OrderedList } from "../../src/store/ordered-list.ts";
import { Shelf } from "../../src/store/shelf.ts";

const id = fc.string({
  unit: fc.constantFrom("a", "b", "Z", "0", "_"),
  minLength: 1,
  maxLength: 6,
});
const command = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("add"), id }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("remove"), id }) },
);

test("pages and sizes equal those of a plain sorted array", () => {
  fc.assert(
    fc.property(
      fc.array(command, { maxLength: 2_000 }),
      id,
      fc.nat(300),
      (commands, from, limit) => {
        const list = new OrderedList<{ id: string }>();
        let model: string[] = [];
        for (const { kind, id: name } of commands) {
          if (kind === "remove") {
            list.remove(name);
            model = model.filter((other) => other !== name);
          } else if (!model.includes(name)) {
            list.add({ id: name });
            model.push(name);
          }
        }
        model.sort();

        expect(list.size).toBe(model.length);
        expect(list.after(undefined, 5_000).map((item) => item.id)).toEqual(model);
        expect(list.after(from, limit).map((item) => item.id)).toEqual(
          model.filter((other) => other > from).slice(0, limit),
        );
      },
    ),
    { numRuns: 150 },
  );
});

test("items added in order, backwards and at random end up in one order", () => {
  const ids = Array.from({ length: 3_000 }, (_, index) => String(index).padStart(5, "0"));
  const shuffled = ids.map((_, index) => ids[(index * 1_009) % ids.length] ?? "");
  for (const order of [ids, ids.toReversed(), shuffled]) {
    const list = new OrderedList<{ id: string }>();
    for (const name of order) list.add({ id: name });

    expect(list.after(undefined, ids.length + 1).map((item) => item.id)).toEqual(ids);
    expect(list.after("01499", 3).map((item) => item.id)).toEqual(["01500", "01501", "01502"]);
    expect(list.after(ids.at(-1), 3)).toEqual([]);
  }
});

describe("what was written of a list", () => {
  const read = fc.record({ kind: fc.constant("read"), id });
  const commands = fc.array(fc.oneof({ weight: 2, arbitrary: command }, read), {
    maxLength: 1_500,
    size: "max",
  });

  test("equals what a list holds, whatever was read in between", () => {
    fc.assert(
      fc.property(commands, fc.nat(300), fc.nat(20_000), (given, limit, room) => {
        const list = new OrderedList<{ id: string }>();
        const pen = { write: spellItem, era: {}, shelf: new Shelf(room) };
        let model: string[] = [];
        const pages: object[] = [];
        const expected: object[] = [];
        for (const { kind, id: name } of given) {
          if (kind === "remove") {
            list.remove(name);
            model = model.filter((other) => other !== name);
          } else if (kind === "read") {
            const { isMore, last, slices } = list.written(name, limit, pen);
            pages.push({ text: textOf(slices), last: last?.id, isMore: limit > 0 && isMore });
            const wanted = model.filter((other) => other > name).toSorted();
            const page = wanted.slice(0, limit);
            const text = page.map((other) => spellItem({ id: other })).join(",");
            const isFull = limit > 0 && wanted.length > limit;
            expected.push({ text, last: page.at(-1), isMore: isFull });
          } else if (!model.includes(name)) {
            list.add({ id: name });
            model.push(name);
          }
        }
        // Once: thousands of assertions take longer than what they check.
        expect(pages).toEqual(expected);
      }),
    );
  });

  test("is not written again, and one that comes last is written alone", () => {
    const { list, pen, writes } = givenList(1_000);
    list.written(undefined, 1_000, pen);
    expect(writes()).toBe(1_000);

    list.written("0500", 100, pen);
    expect(writes()).toBe(1_000);

    list.add({ id: "1000" });
    list.written("0990", 100, pen);
    expect(writes()).toBe(1_001);
  });

  test("goes where there is too much of it, and is written anew", () => {
    const { ids, list, pen, writes } = givenList(1_000, new Shelf(2_000));
    const whole = ids.map((each) => spellItem({ id: each })).join(",");

    for (let time = 0; time < 3; time += 1) {
      expect(textOf(list.written(undefined, 1_000, pen).slices)).toBe(whole);
      expect(textOf(list.written("0100", 100, pen).slices)).toBe(
        ids
          .slice(101, 201)
          .map((each) => spellItem({ id: each }))
          .join(","),
      );
    }
    expect(writes()).toBeGreaterThan(2_500);
  });
});

function givenList(count: number, shelf = new Shelf()) {
  const list = new OrderedList<{ id: string }>();
  const ids = Array.from({ length: count }, (_, index) => String(index).padStart(4, "0"));
  for (const each of ids) list.add({ id: each });
  let writes = 0;
  const written = (item: { id: string }) => {
    writes += 1;
    return spellItem(item);
  };
  return { ids, list, pen: { write: written, era: {}, shelf }, writes: () => writes };
}

/** Not ASCII alone: bytes and characters are counted apart. */
function spellItem({ id }: { id: string }): string {
  return id.startsWith("a") ? `{"id":"${id}","name":"äöü €"}` : `{"id":"${id}"}`;
}

function textOf(slices: readonly Uint8Array[]): string {
  return slices.map((slice) => new TextDecoder().decode(slice)).join(",");
}
