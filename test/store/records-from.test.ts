import { describe, expect, test } from "vitest";
import { LargeTable, SmallTable, type Table } from "../../src/store/tables/table.ts";

interface Item {
  readonly id: string;
}

const ids = Array.from({ length: 1_000 }, (_, index) => `id_${String(index).padStart(4, "0")}`);
const shuffled = ids.toSorted((a, b) => (a.slice(-2) < b.slice(-2) ? -1 : 1));

describe.each<[string, () => Table<Item>]>([
  ["a small table", () => new SmallTable<Item>(["id"])],
  [
    "a large table",
    () =>
      new LargeTable<Item>({
        id: { isAfter: (a, b) => (a.id ?? "") > (b.id ?? ""), at: (id) => ({ id }) },
      }),
  ],
])("%s", (_, make) => {
  test.each([
    ["", 0],
    ["id_0000", 0],
    ["id_0127", 127],
    ["id_0128", 128],
    ["id_0128 and more", 129],
    ["id_0999", 999],
    ["id_1", 1_000],
    ["z", 1_000],
  ])("lists the records from %j on in the order of their ids", (start, expected) => {
    const table = make();
    for (const id of shuffled) table.add({ id });

    expect(Array.from(table.from(start), ({ id }) => id)).toEqual(ids.slice(expected));
  });

  test("lists nothing from an empty table", () => {
    expect([...make().from("")]).toEqual([]);
  });
});
