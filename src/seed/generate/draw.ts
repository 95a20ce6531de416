import { randomWords } from "../../state/ids/random.ts";
import type { Faker } from "@faker-js/faker";
import { faker } from "@faker-js/faker/locale/en";

/** Names from faker. A separate instance leaves the one that tests may use and seed untouched. */
export class Names {
  readonly #faker: Faker;
  #draw = new Draw("");

  constructor() {
    // The class is reached through the English instance, because importing it loads all locales.
    const OfFaker = faker.constructor as new (options: {
      readonly locale: Faker["rawDefinitions"];
      readonly randomizer: { next(): number; seed(): void };
    }) => Faker;
    this.#faker = new OfFaker({
      locale: faker.rawDefinitions,
      randomizer: { next: () => this.#draw.fraction(), seed: () => {} },
    });
  }

  /** Returns faker with `draw` as its source of randomness until the next call. */
  from(draw: Draw): Faker {
    this.#draw = draw;
    return this.#faker;
  }
}

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
