import { randomWords } from "../../store/random.ts";

/** Chance from one address: the same draws in the same order, whatever was drawn elsewhere. */
export class Draw {
  readonly #next: () => number;

  constructor(address: string) {
    this.#next = randomWords(address);
  }

  /** From 0 up to, but not including, 1. */
  fraction(): number {
    return this.#next() / 0x1_0000_0000;
  }

  chance(share: number): boolean {
    return this.fraction() < share;
  }

  /** Both ends included. */
  integer(min: number, max: number): number {
    return min + Math.floor(this.fraction() * (max - min + 1));
  }

  /** One of these, by its weight. */
  weighted<Item>({ items, total, weights }: Weighted<Item>): Item {
    let rest = this.fraction() * total;
    let index = 0;
    for (; index < items.length - 1; index += 1) {
      rest -= weights[index] ?? 0;
      if (rest < 0) break;
    }
    return items[index] as Item;
  }
}

export interface Weighted<Item> {
  readonly items: readonly Item[];
  readonly weights: readonly number[];
  readonly total: number;
}

export function weigh<Item>(
  items: readonly Item[],
  weightOf: (item: Item) => number,
): Weighted<Item> {
  const weights = items.map(weightOf);
  return { items, weights, total: weights.reduce((sum, weight) => sum + weight, 0) };
}

/** The members of a table of weights. */
export function weighNames<Name extends string>(
  table: Readonly<Record<Name, number>>,
): Weighted<Name> {
  return weigh(Object.keys(table) as Name[], (name) => table[name]);
}

/** The members of a table of weights whose names are numbers. */
export function weighNumbers(table: Readonly<Record<number, number>>): Weighted<number> {
  return weigh(Object.keys(table).map(Number), (number) => table[number] ?? 0);
}

/** Tables of weights whose names are numbers, each under its own name. */
export function weighEach<Name extends string>(
  tables: Readonly<Record<Name, Readonly<Record<number, number>>>>,
): Readonly<Record<Name, Weighted<number>>> {
  const entries = Object.entries<Readonly<Record<number, number>>>(tables);
  return Object.fromEntries(entries.map(([name, table]) => [name, weighNumbers(table)])) as Record<
    Name,
    Weighted<number>
  >;
}
