import type { Faker } from "@faker-js/faker";
import { faker } from "@faker-js/faker/locale/en";
import type { Api } from "../../state/records/apis.ts";
import { MAX_PREFIX } from "../../state/vocabulary.ts";
import { Draw } from "./draw.ts";
import { type Environment, environments, type Purpose, services, teams } from "./parameters.ts";

/** Names from faker, in a separate instance: tests may use and seed the shared one. */
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

export function nameOf({ names: templates }: Purpose, draw: Draw, names: Names): string {
  return draw
    .oneOf(templates)
    .replace("{service}", draw.oneOf(services))
    .replace("{person}", () => names.from(draw).person.firstName());
}

export function prefixOf({ defaultPrefix = "" }: Api, environment: Environment): string {
  const { prefix } = environments[environment];
  const whole = defaultPrefix === "" ? prefix : `${defaultPrefix}_${prefix}`;
  return whole.length > MAX_PREFIX ? prefix : whole;
}

export function metaOf(draw: Draw): Record<string, string> {
  return { team: draw.oneOf(teams) };
}
