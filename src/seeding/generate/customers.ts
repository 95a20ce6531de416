import { encodeBase58 } from "../../store/ids/base58.ts";
import { idAt } from "../../store/ids/id-sequence.ts";
import { randomBigInt } from "../../store/ids/random.ts";
import { toRatelimits, type NamedRatelimit } from "../../store/limits/ratelimits.ts";
import { Identity } from "../../store/records.ts";
import { Draw } from "./draw.ts";
import { companies, limits, planTiers, regions, shares, type PlanName } from "./shares.ts";
import { atWork, sometimeBefore } from "./times.ts";
import type { Names } from "./names.ts";

export interface Customer {
  /** The id of the customer's identity. */
  readonly id: string;
  readonly externalId: string;
  /** When the customer signed up, in unix milliseconds. All their keys are later. */
  readonly since: number;
  /** Decides the limits and credits of their keys. */
  readonly plan: PlanName;
  /** `plan` in the `meta` of the identity. A key has the role of this name, if there is one. */
  readonly metaPlan: string | undefined;
  readonly region: string;
  /** The first name of a person who is a customer; undefined for a company. */
  readonly firstName: string | undefined;
}

/**
 * The number of the customer who owns key `number` of an API. A customer has the number of their
 * first key.
 *
 * A key belongs to a new customer, or to the owner of a random earlier key. So customers with many keys
 * get more (the Yule-Simon process): most customers have one key, and a few have dozens. The result
 * depends only on the address and the number.
 */
function customerOf(address: string, number: number): number {
  let current = number;
  for (;;) {
    const draw = new Draw(`${address}/customer/${current}`);
    if (current === 1 || draw.chance(shares.newCustomer)) return current;
    current = draw.integer(1, current - 1);
  }
}

/** The owners of made-up keys, by their numbers. */
export interface Owners {
  /** Whether all keys have an owner. */
  readonly ownAll: boolean;
  /** The number of the customer who owns key `number` of the batch at this address. */
  ownerOf(address: string, number: number): number;
  get(number: number): Customer;
  /** The identities to add. */
  identities(): Iterable<Identity>;
}

/** The made-up customers of a workspace. A number is the same customer for every API. */
export class Customers implements Owners {
  readonly ownAll = false;
  readonly ownerOf = customerOf;
  readonly #address: string;
  readonly #until: number;
  readonly #names: Names;
  readonly #known = new Map<number, Customer>();

  constructor(address: string, until: number, names: Names) {
    this.#address = address;
    this.#until = until;
    this.#names = names;
  }

  get(number: number): Customer {
    let customer = this.#known.get(number);
    if (customer === undefined) {
      customer = this.#make(number);
      this.#known.set(number, customer);
    }
    return customer;
  }

  /** The identities of all customers that `get` returned, in the order of signing up. */
  *identities(): Generator<Identity> {
    const known = [...this.#known].toSorted(([, a], [, b]) => a.since - b.since);
    for (const [number, customer] of known) yield this.#toIdentity(number, customer);
  }

  #make(number: number): Customer {
    const address = this.#addressOf(number);
    const draw = new Draw(address);
    const isCompany = draw.chance(shares.company);
    const code = encodeBase58(randomBigInt(`${address}/code`, 9) % 58n ** 12n, 12);
    const since = atWork(sometimeBefore(this.#until, draw), 0, draw);
    const plan = draw.weighted(plansOf(number));
    return {
      id: idAt("id", since, `${address}/id`),
      externalId: `${isCompany ? "org" : "user"}_${code}`,
      since,
      plan,
      metaPlan: plan,
      region: draw.weighted(Object.entries(regions)),
      firstName: isCompany ? undefined : this.#personOf(number).firstName,
    };
  }

  /** The customer's name, or the contact person of a company. */
  #personOf(number: number) {
    const { person } = this.#names.from(new Draw(`${this.#addressOf(number)}/person`));
    return { firstName: person.firstName(), lastName: person.lastName() };
  }

  #toIdentity(number: number, customer: Customer): Identity {
    const { externalId, id, plan, region } = customer;
    const { firstName, lastName } = this.#personOf(number);
    const isCompany = customer.firstName === undefined;
    const name = isCompany ? this.#companyOf(number) : `${firstName} ${lastName}`;
    // This address cannot exist, because the top-level domain `.example` is reserved (RFC 2606).
    const contact = `${slugOf(firstName)}@${slugOf(isCompany ? name : lastName)}.example`;
    const isLimited = new Draw(`${this.#addressOf(number)}/limited`).chance(shares.limitedTogether);
    return new Identity({
      id,
      externalId,
      meta: { name, plan, region, contact },
      ...(isLimited && { ratelimits: sharedLimits[plan] }),
    });
  }

  #companyOf(number: number): string {
    const draw = new Draw(`${this.#addressOf(number)}/company`);
    const faker = this.#names.from(draw);
    const form = draw.weighted(Object.entries(companies.forms));
    return form.replaceAll(/\{(\w+)\}/g, (_, part: string) => {
      if (part === "city") return faker.helpers.arrayElement(faker.definitions.location.city_name);
      if (part === "family") return faker.person.lastName();
      const names = companies.words[part as keyof typeof companies.words];
      return faker.helpers.arrayElement(names.split(" "));
    });
  }

  #addressOf(number: number): string {
    return `${this.#address}/customer/${number}`;
  }
}

/** The possible plans of a customer, with weights. */
export function plansOf(number: number) {
  const { plans = {} } = planTiers.find(({ upTo }) => number <= upTo) ?? {};
  return Object.entries(plans) as [PlanName, number][];
}

function slugOf(name: string): string {
  return name
    .toLowerCase()
    .replaceAll("'", "")
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "");
}

/** The rate limit that all keys of a customer share, by plan: ten times that of one key. */
const sharedLimits = Object.fromEntries(
  Object.entries(limits).map(([plan, limit]) => [
    plan,
    toRatelimits([{ name: "requests", limit: 10 * limit, duration: 60_000, autoApply: true }]),
  ]),
) as Readonly<Record<PlanName, NamedRatelimit[]>>;
