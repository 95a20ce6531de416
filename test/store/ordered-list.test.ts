import fc from "fast-check";
import { expect, test } from "vitest";
import { OrderedList } from "../../src/store/ordered-list.ts";

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
