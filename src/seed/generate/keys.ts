import { DEFAULT_KEY_BYTES, makeKeyValue, startOf } from "../../state/ids/id-maker.ts";
import { type Complete, Key, type KeyMembers } from "../../state/key.ts";
import type { Api } from "../../state/apis.ts";
import { MAX_PREFIX } from "../../state/vocabulary.ts";
import type { Workspace } from "../../state/workspace.ts";
import type { Customer, Owners } from "./customers.ts";
import { Draw, type Names } from "./draw.ts";
import { type Order, stateOf } from "./orders.ts";
import * as tables from "./shares.ts";
import { creationIn, DAY, madeUpId } from "./times.ts";
import { countOf, type Histories, NO_LIMITS, ratelimitsOf, type Stop, usedIn } from "./usage.ts";

const byPurpose = tables.purposes.map(
  (purpose) => [{ ...purpose, names: purpose.names.split("|") }, purpose.weight] as const,
);
/** In the order of the tables, for draws. */
const [regionNames, teamNames] = [Object.entries(tables.regions), Object.entries(tables.teams)];
const ofProduction = byPurpose.filter(([{ environment }]) => environment === "production");
const madeUpPermissions = [...new Set(Object.values(tables.roles).flat())];
const serviceNames = tables.services.split(" ");

/**
 * Steps of a sequence that spreads keys evenly over time and customers, so that any part of the time has
 * keys of many customers: powers of the plastic number (Roberts, "The unreasonable effectiveness of
 * quasirandom sequences").
 */
const [BY_PLACE, BY_OWNER] = [0.7548776662466927, 0.5698402909980532];

/** The places in the period that are before `RECENT`. */
const BEFORE_RECENT = (1 - tables.RECENT / tables.SPAN) ** (1 / tables.LATENESS);

type Named = (typeof byPurpose)[number][0];

export interface KeySource {
  readonly api: Api;
  readonly order: Order;
  readonly address: string;
  /** Where the sequence over time and customers begins, from 0 to 1. */
  readonly offsets: readonly [place: number, owner: number];
  /** All keys were created and used before this 00:00 UTC, in unix milliseconds. */
  readonly until: number;
  readonly customers: Owners;
  /** The identities of the workspace. One of a fixture may have the external id of a customer. */
  readonly identities: Workspace["identities"];
  readonly names: Names;
  /** Histories that are alike, to save memory. */
  readonly histories: Histories;
  /** Free-form data that is alike, by its text. */
  readonly metas: Map<string, Record<string, string>>;
}

/** When a key was created, and its owner. Made-up keys are sorted by the time. */
export interface Origin {
  readonly number: number;
  /** Milliseconds from the start of the period in which all keys are created. */
  readonly time: number;
  /** The customer; undefined for an internal key of the product. */
  readonly customer: Customer | undefined;
  /** Whether it is the first key of a customer, which is in use and not new. */
  readonly isSpared: boolean;
}

export function originOf({ address, customers, offsets }: KeySource, number: number): Origin {
  const owner = customers.ownerOf(address, number, (offsets[1] + number * BY_OWNER) % 1);
  const isSpared = owner === number;
  const place = (offsets[0] + number * BY_PLACE) % 1;
  const time = creationIn(
    isSpared ? place * BEFORE_RECENT : place,
    new Draw(`${address}/creation/${number}`),
  );
  return {
    number,
    time,
    isSpared,
    customer: owner === undefined ? undefined : customers.get(owner),
  };
}

/** A key of a batch. Only its times depend on `until`. */
export function keyOf(source: KeySource, { customer, isSpared, number, time }: Origin): Key {
  const { address, api, identities, names, order, until } = source;
  const { like } = order;
  const state = stateOf(order.shares, number);
  const createdAt = Math.max(0, until - tables.SPAN + time);
  const draw = new Draw(`${address}/key/${number}`);

  const purpose = draw.weighted(isSpared ? ofProduction : byPurpose);
  const { environment } = purpose;
  const plan = customer?.plan ?? "team";
  const region = customer?.region ?? draw.weighted(regionNames);
  const name = keyNameOf(purpose, region, customer, draw, names);
  const prefix = like.prefix ?? prefixOf(api, environment);
  const byteLength = like.byteLength ?? api.defaultByteLength ?? DEFAULT_KEY_BYTES;
  const value = makeKeyValue(`${address}/value/${number}`, prefix, byteLength);

  const isEnabled = like.enabled ?? (!draw.chance(tables.shares.disabled) || isSpared);
  const isDisabled = state.isDisabled ?? !isEnabled;
  const isUpdated = draw.chance(tables.shares.updated) || isDisabled;
  const ordered = orderedExpiry(source, number, createdAt);
  const { expires } = {
    expires: expiryOf(environment, createdAt, until, isSpared, draw),
    ...ordered,
  };
  // An expired key is not changed any more.
  const last = Math.max(createdAt + 1_000, Math.min(until, expires ?? until) - 1);
  const updatedAt = draw.integer(createdAt + 1_000, last);
  const isRecoverable =
    like.recoverable ?? (draw.chance(tables.shares.recoverable) && api.storeEncryptedKeys);

  const meta = draw.chance(tables.shares.withMeta)
    ? metaOf(source, region, customer, draw)
    : undefined;
  const permissions = draw.chance(tables.shares.ownPermission)
    ? oneOf(order.permissions ?? madeUpPermissions, draw)
    : [];
  const isTriedOut = createdAt > until - tables.RECENT;
  const perDay =
    tables.calls[plan] *
    (customer?.busy ?? 1) *
    (0.6 + 0.8 * draw.fraction()) *
    tables.callShares[environment] *
    (isTriedOut ? tables.TRIED_OUT : 1);
  const { full, ...count } = countOf(draw, perDay, isSpared);
  const ratelimits = ratelimitsOf(draw, tables.limits[plan], state.isLimited);
  const members = {
    ...count,
    ratelimits,
    ...order.members,
    ...(state.isLimited === false && { ratelimits: NO_LIMITS }),
  };
  const usedUpAt = draw.integer(Math.max(createdAt, until - tables.RECENT), until - 1);
  const stops: Stop[] = [
    [isDisabled ? updatedAt : Infinity, "DISABLED"],
    [expires ?? Infinity, "EXPIRED"],
    [members.remaining === 0 ? usedUpAt : Infinity, "USAGE_EXCEEDED"],
  ];
  const { history, lastUsedAt } = usedIn(
    { createdAt, isSpared, perDay, stops, until, ...members },
    draw,
  );
  const isUnused = history === undefined && !("remaining" in order.members);
  const all: Complete<KeyMembers> = {
    id: madeUpId("key", `${address}/key/${number}`, time),
    apiId: api.id,
    start: startOf(value, prefix),
    name,
    ownerId: customer?.externalId,
    identityId: customer && identities.named(customer.externalId)?.id,
    meta,
    createdAt,
    updatedAt: isUpdated ? updatedAt : undefined,
    lastUsedAt,
    expires,
    refill: undefined,
    roles: rolesOf(source, number, purpose, customer),
    permissions,
    environment,
    ...members,
    remaining: isUnused ? full : members.remaining,
    ...ordered,
    enabled: !isDisabled,
    plaintext: isRecoverable ? value : undefined,
    migrationId: undefined,
  };
  return new Key(all, value, history && source.histories.get(history));
}

/** Some keys expire soon. Others of a day are left out, so that the time of day changes nothing. */
function expiryOf(
  environment: tables.Environment,
  createdAt: number,
  until: number,
  isSpared: boolean,
  draw: Draw,
): number | undefined {
  const [isExpiring, isExpiringSoon] = [
    draw.chance(tables.expiring[environment]),
    draw.chance(tables.shares.expiringSoon),
  ];
  if (isExpiringSoon) return until + draw.integer(DAY, 3 * DAY);
  if (!isExpiring) return undefined;
  const expires =
    createdAt + Number(draw.weighted(Object.entries(tables.lifetimes[environment]))) * DAY;
  if (expires < until) return isSpared ? undefined : expires;
  return expires < until + DAY ? expires + DAY : expires;
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

function rolesOf(
  { address, order }: KeySource,
  number: number,
  purpose: Named,
  customer: Customer | undefined,
): string[] {
  if (order.roles === undefined) return purpose.role === undefined ? [] : [purpose.role];
  const ofPlan = order.roles.filter((name) => name === customer?.metaPlan);
  return ofPlan.length > 0 ? ofPlan : oneOf(order.roles, new Draw(`${address}/role/${number}`));
}

function oneOf(names: readonly string[], draw: Draw): string[] {
  const index = draw.integer(0, names.length - 1);
  return names.slice(index, index + 1);
}

function keyNameOf(
  { environment, names: templates }: Named,
  region: string,
  customer: Customer | undefined,
  draw: Draw,
  names: Names,
): string {
  const template = draw.oneOf(templates);
  const service = draw.oneOf(serviceNames);
  const hasRegion = environment !== "development" && draw.chance(tables.shares.namedByRegion);
  const name = template
    .replace("{service}", service)
    .replace("{person}", () => customer?.firstName ?? names.from(draw).person.firstName());
  return names.shared(hasRegion ? `${name} (${region})` : name);
}

/** Only companies have teams. Equal data is the same object, to save memory. */
function metaOf(
  { metas }: KeySource,
  region: string,
  customer: Customer | undefined,
  draw: Draw,
): Record<string, string> {
  const team = customer?.firstName === undefined ? draw.weighted(teamNames) : undefined;
  const address = `${region}/${team}`;
  const meta = metas.get(address) ?? { region, ...(team !== undefined && { team }) };
  metas.set(address, meta);
  return meta;
}

function prefixOf({ defaultPrefix = "" }: Api, environment: tables.Environment): string {
  const kind = tables.prefixes[environment];
  const prefix = defaultPrefix === "" ? kind : `${defaultPrefix}_${kind}`;
  return prefix.length > MAX_PREFIX ? kind : prefix;
}
