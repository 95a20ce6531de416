import fc from "fast-check";
import { expect, test } from "vitest";
import { SortedList, type ChunkRange } from "../../src/store/tables/sorted-list.ts";

/** A sorted list, and a plain array of the same numbers. */
interface Pair {
  readonly list: SortedList<number, number>;
  plain: number[];
}

const value = fc.nat(600);
const step = fc.record({
  kind: fc.constantFrom(
    ...(["add", "add", "append", "append", "addAll", "remove", "removeMany", "fork"] as const),
  ),
  /** Selects one of the forks. */
  which: fc.nat(5),
  value,
  count: fc.nat(400),
  stride: fc.constantFrom(1, 7),
});
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

function take(pairs: Pair[], { count, kind, stride, value: given, which }: Step): void {
  const pair = pairs[which % pairs.length] as Pair;
  const { list, plain } = pair;
  const added = (...items: number[]) => [...plain, ...items].toSorted((a, b) => a - b);
  const values = Array.from({ length: count }, (_, index) => (given + index * stride) % 601);
  switch (kind) {
    case "add":
      if (plain.includes(given)) return;
      list.add(given);
      pair.plain = added(given);
      return;
    case "append": {
      const next = (plain.at(-1) ?? 0) + 1;
      list.add(next);
      pair.plain = added(next);
      return;
    }
    case "addAll": {
      const items = values.filter((item) => !plain.includes(item));
      list.addAll(items);
      pair.plain = added(...items);
      return;
    }
    case "remove":
      list.remove(given);
      pair.plain = plain.filter((item) => item !== given);
      return;
    case "removeMany":
      for (const item of values) list.remove(item);
      pair.plain = plain.filter((item) => !values.includes(item));
      return;
    case "fork":
      pairs.push({ list: list.fork(), plain });
      return;
  }
}

function itemsOf(ranges: readonly ChunkRange<number>[]): number[] {
  return ranges.flatMap(({ chunk, from, to }) => chunk.slice(from, to));
}

test("a sorted list and its forks equal plain arrays, and a change of one leaves the others alone", () => {
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 40, size: "max" }),
      fc.array(fc.tuple(value, value, fc.constantFrom(1, 3, 130, Infinity)), {
        minLength: 5,
        maxLength: 5,
      }),
      (steps, places) => {
        const pairs: Pair[] = [{ list: new SortedList((a, b) => a > b), plain: [] }];
        const seen: [range: ChunkRange<number>, items: number[]][] = [];
        for (const each of steps) {
          take(pairs, each);
          for (const { list, plain } of pairs) {
            expect([list.size, [...list]]).toEqual([plain.length, plain]);
            for (const range of list.ranges(-1, Infinity, Infinity)) {
              seen.push([range, itemsOf([range])]);
            }
          }
        }
        // Ranges that were read earlier keep their items when the list changes.
        expect(seen.map(([range]) => itemsOf([range]))).toEqual(seen.map(([, items]) => items));
        for (const { list, plain } of pairs) {
          for (const [after, end, limit] of places) {
            const ranges = list.ranges(after, end, limit);
            const matching = plain.filter((item) => item > after && item <= end);
            expect(itemsOf(ranges)).toEqual(matching.slice(0, limit));
            expect(ranges.filter(({ from, to }) => from >= to)).toEqual([]);
            expect(list.get(after)).toBe(plain.includes(after) ? after : undefined);
          }
        }
      },
    ),
    { numRuns: 100 },
  );
});

test("a sorted list whose last items were removed changes nothing in its fork", () => {
  const list = new SortedList<number, number>((a, b) => a > b);
  list.addAll(Array.from({ length: 129 }, (_, index) => index));
  list.remove(5);
  const fork = list.fork();
  const before = [...fork];

  list.add(200);
  for (const item of [128, 200]) list.remove(item);
  list.add(300);

  expect([...fork]).toEqual(before);
  expect(list.ranges(-1, 1_000, 1_000).flatMap(({ chunk }) => chunk)).toEqual([
    ...before.slice(0, -1),
    300,
  ]);
});

test.each([
  ["all items", (list: SortedList<number, number>) => list],
  ["the items from the first one on", (list: SortedList<number, number>) => list.from(0)],
])(
  "a loop over %s sees each item once, while others are added and the same one is removed",
  (_, itemsOf) => {
    const list = new SortedList<number, number>((a, b) => a > b);
    const items = Array.from({ length: 300 }, (_, index) => index * 10);
    for (const item of items) list.add(item);
    const seen: number[] = [];

    for (const item of itemsOf(list)) {
      seen.push(item);
      for (const other of [1, 2, 3]) list.add(item - other);
      list.remove(item);
    }

    expect(seen).toEqual(items);
    expect([...list]).toEqual(items.flatMap((item) => [item - 3, item - 2, item - 1]));
  },
);

test("the next version of an item takes its place without a copy of the chunk, and a fork keeps the former", () => {
  interface Item {
    readonly id: number;
    readonly version?: number;
  }
  const list = new SortedList<Item, Item>((a, b) => a.id > b.id);
  const all = Array.from({ length: 300 }, (_, id) => ({ id }));
  list.addAll(all);
  const chunks = () => list.ranges({ id: -1 }, { id: 300 }, 300).map(({ chunk }) => chunk);
  const replace = (id: number, version: number) =>
    list.replace(list.get({ id }) as Item, { id, version });
  const first = chunks();

  replace(10, 1);
  expect(chunks().every((chunk, index) => chunk === first[index])).toBe(true);

  const fork = list.fork();
  replace(10, 2);
  const copied = chunks();
  replace(10, 3);
  replace(20, 1);
  replace(299, 1);

  expect(copied[0]).not.toBe(first[0]);
  expect(chunks()[0]).toBe(copied[0]);
  expect(chunks()[1]).toBe(first[1]);
  expect([10, 20, 299].map((id) => list.get({ id })?.version)).toEqual([3, 1, 1]);
  expect([10, 20, 299].map((id) => fork.get({ id })?.version)).toEqual([1, undefined, undefined]);
  expect([...fork]).toEqual(all.map((item) => (item.id === 10 ? { id: 10, version: 1 } : item)));
});
