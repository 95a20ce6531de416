import { idAt } from "../../store/ids/id-sequence.ts";
import { makeKeyValue, startOf } from "../../store/ids/key-value.ts";
import type { Complete } from "../../store/complete.ts";
import { Key, type KeyMembers } from "../../store/key.ts";
import type { Api } from "../../store/records.ts";
import { DEFAULT_KEY_BYTES, MAX_PREFIX } from "../../store/vocabulary.ts";
import type { Workspace } from "../../store/workspace.ts";
import type { Customer, Owners } from "./customers.ts";
import { Draw } from "./draw.ts";
import {
  expiring,
  lifetimes,
  limits,
  prefixes,
  purposes,
  regions,
  roles,
  shares,
  teams,
  type Environment,
  type Purpose,
} from "./shares.ts";
import { stateOf, type Order } from "./orders.ts";
import { atWork, DAY, HOUR, sometimeBefore } from "./times.ts";
import type { Names } from "./names.ts";
import { countOf, NO_LIMITS, ratelimitsOf, usageOf } from "./usage.ts";

const byPurpose = purposes.map((purpose) => [purpose, purpose.weight] as const);
const madeUpPermissions = [...new Set(Object.values(roles).flat())];

/** From what the keys of a batch are made up. */
export interface KeySource {
  readonly api: Api;
  readonly order: Order;
  /** Selects the random bytes of this batch. */
  readonly address: string;
  /** All keys are created before this time, in unix milliseconds. */
  readonly until: number;
  readonly customers: Owners;
  /** The identities of the workspace. One of a fixture may have the external id of a customer. */
  readonly identities: Workspace["identities"];
  readonly names: Names;
}

/** When a key was created, and its owner. Made-up keys are sorted by the time. */
export interface Origin {
  /** The number of the key among those of its API. */
  readonly number: number;
  /** Unix milliseconds. */
  readonly createdAt: number;
  /** The number of the customer; undefined for an internal key of the product. */
  readonly owner: number | undefined;
}

export function originOf({ address, customers, until }: KeySource, number: number): Origin {
  const draw = new Draw(`${address}/origin/${number}`);
  if (draw.chance(shares.withoutCustomer) && !customers.ownAll) {
    const createdAt = atWork(sometimeBefore(until, draw), 0, draw);
    return { number, createdAt, owner: undefined };
  }
  const owner = customers.ownerOf(address, number);
  const { since } = customers.get(owner);
  const last = until - 1_000;
  // A customer creates the first key within an hour after they signed up, and other keys at any later
  // time. If the drawn time is too early, the key is created within two weeks after they signed up.
  const time = sometimeBefore(until, draw);
  const within = owner === number ? HOUR : 14 * DAY;
  const soon = since + Math.floor(draw.fraction() * Math.max(0, Math.min(within, last - since)));
  const createdAt = owner === number || time < since ? soon : time;
  return { number, createdAt: atWork(createdAt, since, draw), owner };
}

/** A key of a batch. It depends only on the random seed, the API, the order, `until` and the number. */
export function keyOf(source: KeySource, { createdAt, number, owner }: Origin): Key {
  const { address, api, customers, identities, until, names, order } = source;
  const { like } = order;
  const state = stateOf(order.shares, number);
  const customer = owner === undefined ? undefined : customers.get(owner);
  const draw = new Draw(`${address}/key/${number}`);

  const purpose = draw.weighted(byPurpose);
  const { environment } = purpose;
  const plan = customer?.plan ?? "enterprise";
  const region = customer?.region ?? draw.weighted(Object.entries(regions));
  const name = keyNameOf(purpose, region, customer, draw, names);
  const prefix = like.prefix ?? prefixOf(api, environment);
  const byteLength = like.byteLength ?? api.defaultByteLength ?? DEFAULT_KEY_BYTES;
  const value = makeKeyValue(`${address}/value/${number}`, prefix, byteLength);

  const isEnabled = like.enabled ?? !draw.chance(shares.disabled);
  const isDisabled = state.isDisabled ?? !isEnabled;
  const isUpdated = draw.chance(shares.updated) || isDisabled;
  const madeUpExpiry = draw.chance(expiring[environment])
    ? createdAt + Number(draw.weighted(Object.entries(lifetimes[environment]))) * DAY
    : undefined;
  const ordered = orderedExpiry(source, number, createdAt);
  const { expires } = { expires: madeUpExpiry, ...ordered };
  // An expired key is not changed any more.
  const last = Math.max(createdAt + 1_000, Math.min(until, expires ?? until) - 1);
  const updatedAt = draw.integer(createdAt + 1_000, last);
  const isRecoverable =
    like.recoverable ?? (draw.chance(shares.recoverable) && api.storeEncryptedKeys);

  const meta = draw.chance(shares.withMeta) ? metaOf(region, customer, draw) : undefined;
  const count = countOf(draw, plan);
  const ratelimits = ratelimitsOf(draw, limits[plan], state.isLimited);
  const permissions = draw.chance(shares.ownPermission) ? permissionsOf(order, draw) : [];
  const drawn = { ...count, expires, ratelimits };
  const usage = usageOf(drawn, createdAt, `${address}/usage/${number}`, until);
  const members: Complete<KeyMembers> = {
    id: idAt("key", createdAt, `${address}/id/${number}`),
    apiId: api.id,
    start: startOf(value, prefix),
    name,
    ownerId: customer?.externalId,
    identityId: customer && identities.named(customer.externalId)?.id,
    meta,
    createdAt,
    updatedAt: isUpdated ? updatedAt : undefined,
    ...usage,
    roles: rolesOf(source, number, purpose, customer),
    permissions,
    environment,
    ...order.members,
    ...ordered,
    ...(state.isLimited === false && { ratelimits: NO_LIMITS }),
    enabled: !isDisabled,
    plaintext: isRecoverable ? value : undefined,
    migrationId: undefined,
  };
  return new Key(members, value);
}

/** The expiry that an order decides; no member if it does not. */
function orderedExpiry(
  { address, order, until }: KeySource,
  number: number,
  createdAt: number,
): Pick<KeyMembers, "expires"> {
  const { isExpired } = stateOf(order.shares, number);
  if (isExpired) {
    const draw = new Draw(`${address}/expiry/${number}`);
    return { expires: draw.integer(createdAt + 1, until - 1) };
  }
  const { expires } = order.members;
  return isExpired === false || "expires" in order.members ? { expires } : {};
}

/** One of the ordered roles, or the made-up role of the key's purpose. */
function rolesOf(
  { address, order }: KeySource,
  number: number,
  purpose: Purpose,
  customer: Customer | undefined,
): string[] {
  if (order.roles === undefined) return purpose.role === undefined ? [] : [purpose.role];
  const ofPlan = order.roles.filter((name) => name === customer?.metaPlan);
  return ofPlan.length > 0 ? ofPlan : oneOf(order.roles, new Draw(`${address}/role/${number}`));
}

function permissionsOf({ permissions = madeUpPermissions }: Order, draw: Draw): string[] {
  return oneOf(permissions, draw);
}

/** A random one of the names; none if there is none. */
function oneOf(names: readonly string[], draw: Draw): string[] {
  const index = draw.integer(0, names.length - 1);
  return names.slice(index, index + 1);
}

function keyNameOf(
  { environment, name }: Purpose,
  region: string,
  customer: Customer | undefined,
  draw: Draw,
  names: Names,
): string {
  const person = customer?.firstName ?? names.from(draw).person.firstName();
  const hasRegion = environment !== "development" && draw.chance(shares.namedByRegion);
  return name.replace("{person}", person) + (hasRegion ? ` (${region})` : "");
}

/** Only companies have teams. */
function metaOf(region: string, customer: Customer | undefined, draw: Draw) {
  if (customer?.firstName !== undefined) return { region };
  return { region, team: draw.weighted(Object.entries(teams)) };
}

function prefixOf({ defaultPrefix = "" }: Api, environment: Environment): string {
  const kind = prefixes[environment];
  const prefix = defaultPrefix === "" ? kind : `${defaultPrefix}_${kind}`;
  return prefix.length > MAX_PREFIX ? kind : prefix;
}
