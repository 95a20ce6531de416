import { DEFAULT_KEY_BYTES, makeKeyValue, startOf } from "../../state/id-maker.ts";
import { type Complete, Key, type KeyMembers, plainOf } from "../../state/keys/key.ts";
import { DAY } from "../../state/time/refill.ts";
import type { Customer } from "./customers.ts";
import { Draw } from "./draw.ts";
import { metaOf, nameOf, prefixOf } from "./names.ts";
import { stateOf } from "./orders.ts";
import {
  environments,
  permissions,
  plans,
  type Purpose,
  purposes,
  RECENT,
  shares,
  SPAN,
} from "./parameters.ts";
import type { KeySource, Origin } from "./origins.ts";
import { generatedId } from "./times.ts";
import { callShareOf, countOf, NO_LIMITS, ratelimitsOf, type Stop, usedIn } from "./usage.ts";

const ofProduction = purposes.filter(({ environment }) => environment === "production");

/** A key of a batch. Only its times depend on `until`. */
export function keyOf(source: KeySource, { customer, isFirst, number, time }: Origin): Key {
  const { address, api, identities, order, shared, until } = source;
  const { like } = order;
  const state = stateOf(order.shares, number);
  const createdAt = Math.max(0, until - SPAN + time);
  const draw = new Draw(`${address}/key/${number}`);

  const purpose = draw.weighted(isFirst ? ofProduction : purposes);
  const { environment } = purpose;
  const plan = plans[customer?.plan ?? "team"];
  const name = shared(nameOf(purpose, draw, source.names));
  const prefix = like.prefix ?? prefixOf(api, environment);
  const byteLength = like.byteLength ?? api.defaultByteLength ?? DEFAULT_KEY_BYTES;
  const value = makeKeyValue(`${address}/value/${number}`, prefix, byteLength, "v1");

  const isEnabled = like.enabled ?? (!draw.chance(shares.disabled) || isFirst);
  const isDisabled = state.isDisabled ?? !isEnabled;
  const isUpdated = draw.chance(shares.updated) || isDisabled;
  const ordered = orderedExpiry(source, number, createdAt);
  const drawn = expiryOf(environments[environment].lifetime, createdAt, until, isFirst, draw);
  const { expires } = { expires: drawn, ...ordered };
  // An expired key is not changed any more.
  const last = Math.max(createdAt + 1_000, Math.min(until, expires ?? until) - 1);
  const updatedAt = draw.integer(createdAt + 1_000, last);
  const isRecoverable =
    like.recoverable ?? (draw.chance(shares.recoverable) && api.storeEncryptedKeys);

  const hasMeta = draw.chance(shares.withMeta);
  const meta = hasMeta ? shared(metaOf(draw)) : undefined;
  const ownPermissions = draw.chance(shares.ownPermission)
    ? [draw.oneOf(order.permissions ?? permissions)]
    : [];
  const isNew = createdAt > until - RECENT;
  const perDay = plan.calls * (customer?.busy ?? 1) * callShareOf(environment, isNew, draw);
  const { full, ...count } = countOf(draw, perDay, isFirst);
  const ratelimits = shared(ratelimitsOf(draw, plan.limit, state.isLimited));
  const members = {
    ...count,
    ratelimits,
    ...order.members,
    ...(state.isLimited === false && { ratelimits: NO_LIMITS }),
  };
  const usedUpAt = draw.integer(Math.max(createdAt, until - RECENT), until - 1);
  const stops: Stop[] = [
    [isDisabled ? updatedAt : Infinity, "DISABLED"],
    [expires ?? Infinity, "EXPIRED"],
    [members.remaining === 0 ? usedUpAt : Infinity, "USAGE_EXCEEDED"],
  ];
  const { history, lastUsedAt } = usedIn(
    { createdAt, isFirst, perDay, stops, until, ...members },
    draw,
  );
  const isUnused = history === undefined && !("remaining" in order.members);
  const all: Complete<KeyMembers> = {
    id: generatedId("key", `${address}/key/${number}`, time),
    apiId: api.id,
    start: startOf(value, prefix, "v1"),
    ...plainOf({ name, environment }),
    ownerId: customer?.externalId,
    identityId: customer && identities.named(customer.externalId)?.id,
    meta,
    createdAt,
    updatedAt: isUpdated ? updatedAt : undefined,
    lastUsedAt,
    expires,
    refill: undefined,
    roles: rolesOf(source, number, purpose, customer),
    permissions: ownPermissions,
    ...members,
    remaining: isUnused ? full : members.remaining,
    ...ordered,
    enabled: !isDisabled,
    plaintext: isRecoverable ? value : undefined,
    migrationId: undefined,
  };
  return new Key(all, value, history && shared(history));
}

/**
 * Some keys expire after their lifetime, and some soon. One day is left out, so that the time of day changes
 * nothing.
 * @param lifetime in days
 */
function expiryOf(
  lifetime: number,
  createdAt: number,
  until: number,
  isFirst: boolean,
  draw: Draw,
): number | undefined {
  const [isExpiring, isSoon] = [draw.chance(shares.expiring), draw.chance(shares.expiringSoon)];
  if (isSoon) return until + draw.integer(DAY, 3 * DAY);
  const expires = createdAt + lifetime * DAY;
  if (!isExpiring || (isFirst && expires < until)) return undefined;
  return expires >= until && expires < until + DAY ? expires + DAY : expires;
}

/** The expiry that an order sets; no member if it sets none. */
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
  purpose: Purpose,
  customer: Customer | undefined,
): string[] {
  if (order.roles === undefined) return [purpose.role];
  if (order.roles.length === 0) return [];
  const ofPlan = order.roles.filter((name) => name === customer?.metaPlan);
  return ofPlan.length > 0 ? ofPlan : [new Draw(`${address}/role/${number}`).oneOf(order.roles)];
}
