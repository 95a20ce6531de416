import { randomWords } from "../../store/ids/random.ts";

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
  weighted<Item>(items: readonly (readonly [item: Item, weight: number])[]): Item {
    let rest = this.fraction() * items.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [item, weight] of items) {
      rest -= weight;
      if (rest < 0) return item;
    }
    throw new Error("expected a weight above 0");
  }
}
