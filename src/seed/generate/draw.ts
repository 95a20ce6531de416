import { randomWords } from "../../base/random.ts";

/** Random draws that depend only on an address and on their order. */
export class Draw {
  readonly #next: () => number;

  constructor(address: string) {
    this.#next = randomWords(address);
  }

  fraction(): number {
    return this.#next() / 0x1_0000_0000;
  }

  chance(share: number): boolean {
    return this.fraction() < share;
  }

  integer(min: number, max: number): number {
    return min + Math.floor(this.fraction() * (max - min + 1));
  }

  oneOf<Item>(items: readonly Item[]): Item {
    return items[this.integer(0, items.length - 1)] as Item;
  }

  weighted<Item extends { readonly weight: number }>(items: readonly Item[]): Item {
    let rest = this.fraction() * items.reduce((sum, { weight }) => sum + weight, 0);
    for (const item of items) {
      rest -= item.weight;
      if (rest < 0) return item;
    }
    throw new Error("expected a weight above 0");
  }
}
