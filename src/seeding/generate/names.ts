import type { Faker } from "@faker-js/faker";
import { Draw } from "./draw.ts";

/** Loads faker on demand, because it is larger than the rest of the package. */
export async function loadFaker(): Promise<Faker> {
  return (await import("@faker-js/faker/locale/en")).faker;
}

/** Names from faker. It uses a separate instance, because tests may seed the usual one. */
export class Names {
  readonly #faker: Faker;
  #draw = new Draw("");

  /** @param faker what `loadFaker` resolves to */
  constructor(faker: Faker) {
    // The class comes from the English instance, because to import it would load all locales.
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
