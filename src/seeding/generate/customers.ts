import { encodeBase58 } from "../../store/base58.ts";
import { idAt } from "../../store/id-sequence.ts";
import { randomBytes, toBigInt } from "../../store/random.ts";
import { Identity } from "../../store/records.ts";
import { Draw, weighNames } from "./draw.ts";
import { LATENESS, plans, regions, shares, SPAN, type PlanName } from "./shares.ts";
import type { Words } from "./words.ts";

const byPlan = weighNames(plans);
const byRegion = weighNames(regions);

export interface Customer {
  /** Of the identity. */
  readonly id: string;
  readonly externalId: string;
  /** When the customer came (unix milliseconds); every key is younger. */
  readonly since: number;
  readonly plan: PlanName;
  readonly region: string;
}

/**
 * Which customer key `number` of an API belongs to, by the customer's number.
 *
 * A key is a new customer's, or one of whoever has an earlier key, each of these as likely: who has
 * many gets more. Most customers have one key then, few have dozens, however many keys there are
 * (the Yule-Simon process), and it depends on nothing but the number.
 */
export function customerOf(address: string, number: number): number {
  let current = number;
  for (;;) {
    const draw = new Draw(`${address}/customer/${current}`);
    if (current === 1 || draw.chance(shares.newCustomer)) return current;
    current = draw.integer(1, current - 1);
  }
}

/** The customers of a world. The same number is the same customer for every API. */
export class Customers {
  readonly #address: string;
  readonly #until: number;
  readonly #words: Words;
  readonly #known = new Map<number, Customer>();

  constructor(address: string, until: number, words: Words) {
    this.#address = address;
    this.#until = until;
    this.#words = words;
  }

  get(number: number): Customer {
    let customer = this.#known.get(number);
    if (customer === undefined) {
      customer = this.#make(number);
      this.#known.set(number, customer);
    }
    return customer;
  }

  /** Those that were asked for, the first to come first, with what there is to tell of them. */
  *identities(): Generator<Identity> {
    const known = [...this.#known].toSorted(([, a], [, b]) => a.since - b.since);
    for (const [number, customer] of known) yield this.#toIdentity(number, customer);
  }

  #make(number: number): Customer {
    const address = this.#addressOf(number);
    const draw = new Draw(address);
    const isCompany = draw.chance(shares.company);
    const code = encodeBase58(toBigInt(randomBytes(`${address}/code`, 9)) % 58n ** 12n, 12);
    const since = Math.max(0, sometimeBefore(this.#until, draw));
    return {
      id: idAt("id", since, `${address}/id`),
      externalId: `${isCompany ? "org" : "user"}_${code}`,
      since,
      plan: draw.weighted(byPlan),
      region: draw.weighted(byRegion),
    };
  }

  #toIdentity(number: number, { id, externalId, plan, region }: Customer): Identity {
    const faker = this.#words.from(new Draw(`${this.#addressOf(number)}/name`));
    const [firstName, lastName] = [faker.person.firstName(), faker.person.lastName()];
    const person = `${firstName} ${lastName}`;
    const isCompany = externalId.startsWith("org_");
    // Faker's "Klocko - Borer" is nobody's name.
    const company = isCompany ? faker.company.name().replace(" - ", " & ") : undefined;
    // Nobody has an address there: the domain is reserved.
    const host = `${slugOf(company ?? lastName)}.example`;
    return new Identity({
      id,
      externalId,
      meta: {
        name: company ?? person,
        plan,
        region,
        contact: `${slugOf(firstName)}@${host}`,
      },
    });
  }

  #addressOf(number: number): string {
    return `${this.#address}/customer/${number}`;
  }
}

/** Spread over the time that creation reaches back, more of it of late. */
export function sometimeBefore(until: number, draw: Draw): number {
  return until - 1_000 - Math.floor(SPAN * (1 - draw.fraction() ** LATENESS));
}

function slugOf(name: string): string {
  return name
    .toLowerCase()
    .replaceAll("'", "")
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "");
}
