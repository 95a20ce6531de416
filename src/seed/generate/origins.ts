import type { Api } from "../../state/records/apis.ts";
import type { Workspace } from "../../state/workspace.ts";
import type { Customer, Owners } from "./customers.ts";
import { Draw } from "./draw.ts";
import type { Names } from "./names.ts";
import type { Order } from "./orders.ts";
import { LATENESS, RECENT, SPAN } from "./parameters.ts";
import { creationIn } from "./times.ts";

/**
 * Steps of a sequence that spreads keys evenly over time and customers, so that any part of the time has
 * keys of many customers: powers of the plastic number (Roberts, "The unreasonable effectiveness of
 * quasirandom sequences").
 */
const [BY_PLACE, BY_OWNER] = [0.7548776662466927, 0.5698402909980532];

/** The places in the period that are before `RECENT`. */
const BEFORE_RECENT = (1 - RECENT / SPAN) ** (1 / LATENESS);

export interface KeySource {
  readonly api: Api;
  readonly order: Order;
  readonly address: string;
  /** Where the sequence over time and customers begins, from 0 to 1. */
  readonly offsets: readonly [place: number, owner: number];
  /** All keys were created and used before this 00:00 UTC, in unix milliseconds. */
  readonly until: number;
  readonly customers: Owners;
  /** The identities of the workspace. A fixture may list one with the external id of a customer. */
  readonly identities: Workspace["identities"];
  readonly names: Names;
  /** Returns the same object for equal values, to save memory. */
  readonly shared: <Value>(value: Value) => Value;
}

/** When a key was created, and its owner. Generated keys are sorted by the time. */
export interface Origin {
  readonly number: number;
  /** Milliseconds from the start of the period in which all keys are created. */
  readonly time: number;
  /** The customer; undefined for an internal key of the product. */
  readonly customer: Customer | undefined;
  /** Whether it is the first key of a customer, which is in use and not new. */
  readonly isFirst: boolean;
}

export function originOf({ address, customers, offsets }: KeySource, number: number): Origin {
  const owner = customers.ownerOf(address, number, (offsets[1] + number * BY_OWNER) % 1);
  const isFirst = owner === number;
  const place = ((offsets[0] + number * BY_PLACE) % 1) * (isFirst ? BEFORE_RECENT : 1);
  return {
    number,
    time: creationIn(place, new Draw(`${address}/creation/${number}`)),
    isFirst,
    customer: owner === undefined ? undefined : customers.get(owner),
  };
}
