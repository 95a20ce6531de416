import { randomWords } from "../../state/ids/random.ts";
import type { Faker } from "@faker-js/faker";
import { faker } from "@faker-js/faker/locale/en";

/** Names from faker. A separate instance leaves the one that tests may use and seed untouched. */
export class Names {
  readonly #faker: Faker;
  #draw = new Draw("");
  readonly #shared = new Map<string, string>();

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

  /** Returns the same string for equal texts, to save memory. */
  shared(text: string): string {
    const known = this.#shared.get(text) ?? text;
    this.#shared.set(text, known);
    return known;
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

  weighted<Item>(items: readonly (readonly [item: Item, weight: number])[]): Item {
    let rest = this.fraction() * items.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [item, weight] of items) {
      rest -= weight;
      if (rest < 0) return item;
    }
    throw new Error("expected a weight above 0");
  }
}
