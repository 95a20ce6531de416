import { sortedInSteps, type Steps } from "../../base/steps.ts";
import { encodeBase58, randomBigInt } from "../../base/random.ts";
import { Identity } from "../../state/records/identities.ts";
import type { Workspace } from "../../state/workspace.ts";
import { mapped } from "../state.ts";
import { Draw } from "./draw.ts";
import type { Names } from "./names.ts";
import type { OrderedCustomer } from "./orders.ts";
import {
  FIRST_CUSTOMERS,
  LARGE_CUSTOMERS,
  type PlanName,
  plans,
  sectors,
  shares,
} from "./parameters.ts";
import { generatedId } from "./times.ts";

const planList = Object.entries(plans).map(([name, plan]) => ({ ...plan, name: name as PlanName }));

export interface Customer {
  readonly id: string;
  readonly externalId: string;
  /** Decides how many keys there are, how busy they are, and their limits and credits. */
  readonly plan: PlanName;
  /** `plan` in the `meta` of the identity. A key has the role of this name, if there is one. */
  readonly metaPlan: string | undefined;
  /** How busy the customer's keys are, compared with other customers of the same plan. */
  readonly busy: number;
}

export interface Owners {
  /**
   * The number of the customer who owns key `number` of the batch at this address; undefined for an
   * internal key of the product. It is the number of the customer's first key.
   * @param share where the key is in a list of all customers by the keys of their plans, from 0 to 1
   */
  ownerOf(address: string, number: number, share: number): number | undefined;
  get(number: number): Customer;
  identities(): Steps<Iterable<Identity>>;
}

/** The generated customers of a workspace. A number means the same customer for every API. */
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
    const known = this.#known.get(number);
    if (known !== undefined) return known;
    const address = this.#addressOf(number);
    const code = encodeBase58(randomBigInt(`${address}/code`, 9) % 58n ** 12n, 12);
    const plan = planOf(number, new Draw(`${address}/plan`));
    const customer: Customer = {
      id: generatedId("id", address),
      externalId: `org_${code}`,
      plan,
      metaPlan: plan,
      busy: busyOf(address),
    };
    this.#known.set(number, customer);
    return customer;
  }

  /** The identities of all customers that `get` returned, in the order of their ids. */
  *identities(): Steps<Iterable<Identity>> {
    const known = yield* sortedInSteps([...this.#known], ([, a], [, b]) => a.id > b.id);
    return mapped(known, ([number, customer]) => this.#toIdentity(number, customer));
  }

  #toIdentity(number: number, { externalId, id, plan }: Customer): Identity {
    const draw = new Draw(`${this.#addressOf(number)}/company`);
    const { definitions, person } = this.#names.from(draw);
    const first = draw.chance(0.5) ? draw.oneOf(definitions.location.city_name) : person.lastName();
    const name = `${first} ${draw.oneOf(sectors)}`;
    // This address cannot exist, because the top-level domain `.example` is reserved (RFC 2606).
    const contact = `${slugOf(person.firstName())}@${slugOf(name)}.example`;
    return new Identity({ id, externalId, meta: { name, plan, contact } });
  }

  #addressOf(number: number): string {
    return `${this.#address}/customer/${number}`;
  }
}

/** The customers that an order names, or generated ones if it names none. */
export function ownersOf(
  { identities }: Workspace,
  customers: readonly OrderedCustomer[] | undefined,
  generated: Customers,
  parent: string,
): Owners {
  if (customers === undefined) return generated;
  const all = customers.map(({ externalId }, index): Customer => {
    const address = `${parent}/ordered-customer/${externalId}`;
    const metaPlan = identities.named(externalId)?.meta["plan"];
    return {
      id: generatedId("id", address),
      externalId,
      plan: isPlan(metaPlan) ? metaPlan : planOf(index + 1, new Draw(`${address}/plan`)),
      metaPlan: typeof metaPlan === "string" ? metaPlan : undefined,
      busy: busyOf(address),
    };
  });
  // A customer stands here once for each key that the plan suggests.
  const places = all.flatMap(({ plan }, index) =>
    Array.from(Array(plans[plan].keys), () => index + 1),
  );
  return {
    // Each customer owns a key if there are enough.
    ownerOf: (_, number, share) =>
      number <= all.length ? number : places[Math.floor(share * places.length)],
    get: (number) => all[number - 1]!,
    // oxlint-disable-next-line require-yield -- they are few
    *identities() {
      return customers.flatMap(({ externalId, name }, index) => {
        if (identities.named(externalId) !== undefined) return [];
        const { id } = all[index]!;
        return new Identity({ id, externalId, ...(name !== undefined && { meta: { name } }) });
      });
    },
  };
}

function isPlan(value: unknown): value is PlanName {
  return typeof value === "string" && Object.hasOwn(plans, value);
}

function planOf(number: number, draw: Draw): PlanName {
  if (number <= LARGE_CUSTOMERS) return draw.oneOf(["pro", "team", "enterprise"]);
  return draw.weighted(planList).name;
}

/** From a half to twice. */
function busyOf(address: string): number {
  return 2 ** (2 * new Draw(`${address}/busy`).fraction() - 1);
}

function slugOf(name: string): string {
  return name
    .toLowerCase()
    .replaceAll("'", "")
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "");
}
