import { randomWords } from "../../store/ids/random.ts";

/** Random draws that depend only on an address and on their order. */
export class Draw {
  readonly #next: () => number;

  constructor(address: string) {
    this.#next = randomWords(address);
  }

  /** A number from 0 up to, but not including, 1. */
  fraction(): number {
    return this.#next() / 0x1_0000_0000;
  }

  /** True with a probability of `share`. */
  chance(share: number): boolean {
    return this.fraction() < share;
  }

  /** An integer from `min` to `max`, both included. */
  integer(min: number, max: number): number {
    return min + Math.floor(this.fraction() * (max - min + 1));
  }

  oneOf<Item>(items: readonly Item[]): Item {
    return items[this.integer(0, items.length - 1)] as Item;
  }

  /** One of the items, with a probability in proportion to its weight. */
  weighted<Item>(items: readonly (readonly [item: Item, weight: number])[]): Item {
    let rest = this.fraction() * items.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [item, weight] of items) {
      rest -= weight;
      if (rest < 0) return item;
    }
    throw new Error("expected a weight above 0");
  }
}
