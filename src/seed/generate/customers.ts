import { sortedInSteps, type Steps } from "../../base/steps.ts";
import { encodeBase58, randomBigInt } from "../../state/ids/random.ts";
import { type NamedRatelimit, toRatelimits } from "../../state/limits/ratelimits.ts";
import { Identity } from "../../state/identities.ts";
import type { Workspace } from "../../state/workspace.ts";
import { mapped } from "../state.ts";
import { Draw, type Names } from "./draw.ts";
import type { OrderedCustomer } from "./orders.ts";
import {
  companies,
  FIRST_CUSTOMERS,
  limits,
  type PlanName,
  planTiers,
  regions,
  shares,
  weights,
} from "./shares.ts";
import { madeUpId } from "./times.ts";

export interface Customer {
  readonly id: string;
  readonly externalId: string;
  /** Decides how many keys there are, how busy they are, and their limits and credits. */
  readonly plan: PlanName;
  /** `plan` in the `meta` of the identity. A key has the role of this name, if there is one. */
  readonly metaPlan: string | undefined;
  readonly region: string;
  /** How busy the customer's keys are, compared with those of others with the same plan. */
  readonly busy: number;
  /** The first name of a person who is a customer; undefined for a company. */
  readonly firstName: string | undefined;
}

export interface Owners {
  /**
   * The number of the customer who owns key `number` of the batch at this address; undefined for an
   * internal key of the product. A customer has the number of their first key.
   * @param share where the key is in a list of all customers by their weights, from 0 to 1
   */
  ownerOf(address: string, number: number, share: number): number | undefined;
  get(number: number): Customer;
  identities(): Steps<Iterable<Identity>>;
}

/** The made-up customers of a workspace. A number is the same customer for every API. */
export class Customers implements Owners {
  readonly #address: string;
  readonly #names: Names;
  readonly #known = new Map<number, Customer>();

  constructor(address: string, names: Names) {
    this.#address = address;
    this.#names = names;
  }

  /**
   * A key belongs to a new customer, or to the owner of a random earlier key. So customers with many keys
   * get more (the Yule-Simon process): most customers have one key, and a few have dozens.
   */
  ownerOf(address: string, number: number): number | undefined {
    let current = number;
    for (;;) {
      const draw = new Draw(`${address}/customer/${current}`);
      if (current <= FIRST_CUSTOMERS || draw.chance(shares.newCustomer)) return current;
      if (draw.chance(shares.withoutCustomer)) return undefined;
      current = draw.integer(1, current - 1);
    }
  }

  get(number: number): Customer {
    let customer = this.#known.get(number);
    if (customer === undefined) {
      customer = this.#make(number);
      this.#known.set(number, customer);
    }
    return customer;
  }

  /** The identities of all customers that `get` returned, in the order of their ids. */
  *identities(): Steps<Iterable<Identity>> {
    const known = yield* sortedInSteps([...this.#known], ([, a], [, b]) => a.id > b.id);
    return mapped(known, ([number, customer]) => this.#toIdentity(number, customer));
  }

  #make(number: number): Customer {
    const address = this.#addressOf(number);
    const draw = new Draw(address);
    const isCompany = draw.chance(shares.company);
    const code = encodeBase58(randomBigInt(`${address}/code`, 9) % 58n ** 12n, 12);
    const plan = draw.weighted(plansOf(number));
    return {
      id: madeUpId("id", address),
      externalId: `${isCompany ? "org" : "user"}_${code}`,
      plan,
      metaPlan: plan,
      region: draw.weighted(Object.entries(regions)),
      busy: busyOf(draw),
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

/** The customers that an order names, or else the made-up ones. */
export function ownersOf(
  { identities }: Workspace,
  customers: readonly OrderedCustomer[] | undefined,
  madeUp: Customers,
  address: string,
): Owners {
  if (customers === undefined) return madeUp;
  const all = customers.map((customer, index) => ({
    ...toCustomer(identities, customer, index + 1, address),
    name: customer.name,
  }));
  const whole = all.reduce((sum, { plan }) => sum + weights[plan], 0);
  return {
    // Each customer owns a key if there are enough; of the others they own what their plan suggests.
    ownerOf(_, number, share) {
      if (number <= all.length) return number;
      let rest = share * whole;
      return 1 + all.findIndex(({ plan }) => (rest -= weights[plan]) < 0);
    },
    get: (number) => all[number - 1]!,
    // oxlint-disable-next-line require-yield -- they are few
    *identities() {
      return all
        .filter(({ externalId }) => identities.named(externalId) === undefined)
        .map(
          ({ externalId, id, name }) =>
            new Identity({ id, externalId, ...(name !== undefined && { meta: { name } }) }),
        );
    },
  };
}

/** Region and plan are those of an identity that exists. */
function toCustomer(
  identities: Workspace["identities"],
  { externalId }: OrderedCustomer,
  number: number,
  parent: string,
): Customer {
  const address = `${parent}/ordered-customer/${externalId}`;
  const draw = new Draw(address);
  const { plan: metaPlan, region } = identities.named(externalId)?.meta ?? {};
  const [madeUpPlan, madeUpRegion] = [
    draw.weighted(plansOf(number)),
    draw.weighted(Object.entries(regions)),
  ];
  return {
    id: madeUpId("id", address),
    externalId,
    plan: isPlan(metaPlan) ? metaPlan : madeUpPlan,
    metaPlan: typeof metaPlan === "string" ? metaPlan : undefined,
    region: typeof region === "string" ? region : madeUpRegion,
    busy: busyOf(draw),
    firstName: undefined,
  };
}

function isPlan(value: unknown): value is PlanName {
  return typeof value === "string" && Object.hasOwn(limits, value);
}

/** From a half to twice. */
function busyOf(draw: Draw): number {
  return 2 ** (2 * draw.fraction() - 1);
}

function plansOf(number: number) {
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
