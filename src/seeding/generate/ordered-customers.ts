import { idAt } from "../../store/ids/id-sequence.ts";
import { Identity } from "../../store/records.ts";
import type { Workspace } from "../../store/workspace.ts";
import { plansOf, type Customer, type Customers, type Owners } from "./customers.ts";
import { Draw } from "./draw.ts";
import type { Order, OrderedCustomer } from "./orders.ts";
import { limits, regions, type PlanName } from "./shares.ts";
import { atWork, sometimeBefore } from "./times.ts";

interface CustomerSettings {
  /** Selects the random draws about a customer. */
  readonly address: string;
  /** All customers signed up before this time (unix ms). */
  readonly until: number;
}

/** The customers that an order names, or else the made-up ones. */
export function ownersOf(
  { identities }: Workspace,
  { customers }: Order,
  madeUp: Customers,
  settings: CustomerSettings,
): Owners {
  if (customers === undefined) return madeUp;
  const all = customers.map((customer, index) => {
    return { ...toCustomer(identities, customer, index + 1, settings), name: customer.name };
  });
  const isNew = ({ externalId }: Customer) => identities.named(externalId) === undefined;
  return {
    ownAll: true,
    ownerOf: (address, number) => ownerOf(address, number, all.length),
    get: (number) => all[number - 1]!,
    *identities() {
      for (const { externalId, id, name } of all.filter(isNew)) {
        yield new Identity({ id, externalId, ...(name !== undefined && { meta: { name } }) });
      }
    },
  };
}

/**
 * The number of the customer who owns key `number`. Each customer owns the key with their number, and
 * any other key belongs to the owner of a random earlier one, so that some have far more than others.
 */
function ownerOf(address: string, number: number, customers: number): number {
  let current = number;
  while (current > customers) {
    current = new Draw(`${address}/customer/${current}`).integer(1, current - 1);
  }
  return current;
}

/** Region and plan are those of an identity that exists. */
function toCustomer(
  identities: Workspace["identities"],
  { externalId }: OrderedCustomer,
  number: number,
  settings: CustomerSettings,
): Customer {
  const address = `${settings.address}/ordered-customer/${externalId}`;
  const draw = new Draw(address);
  const since = atWork(sometimeBefore(settings.until, draw), 0, draw);
  const { plan: metaPlan, region } = identities.named(externalId)?.meta ?? {};
  const [madeUpPlan, madeUpRegion] = [
    draw.weighted(plansOf(number)),
    draw.weighted(Object.entries(regions)),
  ];
  return {
    id: idAt("id", since, `${address}/id`),
    externalId,
    since,
    plan: isPlan(metaPlan) ? metaPlan : madeUpPlan,
    metaPlan: typeof metaPlan === "string" ? metaPlan : undefined,
    region: typeof region === "string" ? region : madeUpRegion,
    firstName: undefined,
  };
}

function isPlan(value: unknown): value is PlanName {
  return typeof value === "string" && Object.hasOwn(limits, value);
}
