import type { Faker } from "@faker-js/faker";
import { Draw } from "./draw.ts";

/** Loaded when it is needed: it is larger than all else here. */
export async function loadFaker(): Promise<Faker> {
  return (await import("@faker-js/faker/locale/en")).faker;
}

/** Names from faker, drawn from an address, and not from the instance that tests may share. */
export class Names {
  readonly #faker: Faker;
  #draw = new Draw("");

  /** @param faker what `loadFaker` resolves to */
  constructor(faker: Faker) {
    // The class comes with every locale; its one instance here has the English one alone.
    const OfFaker = faker.constructor as new (options: {
      readonly locale: Faker["rawDefinitions"];
      readonly randomizer: { next(): number; seed(): void };
    }) => Faker;
    this.#faker = new OfFaker({
      locale: faker.rawDefinitions,
      randomizer: { next: () => this.#draw.fraction(), seed: () => {} },
    });
  }

  /** What is asked for next is drawn from here. */
  from(draw: Draw): Faker {
    this.#draw = draw;
    return this.#faker;
  }
}
