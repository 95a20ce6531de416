import type { Faker } from "@faker-js/faker";
import { faker } from "@faker-js/faker/locale/en";
import { Draw } from "./draw.ts";

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
