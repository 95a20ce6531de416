import { idAt } from "../../store/ids/id-sequence.ts";
import { makeKeyValue, startOf } from "../../store/ids/key-value.ts";
import {
  DEFAULT_RATELIMIT,
  toRatelimits,
  type NamedRatelimit,
} from "../../store/limits/ratelimits.ts";
import type { Complete } from "../../store/complete.ts";
import { Key, type KeyMembers } from "../../store/key.ts";
import type { Api } from "../../store/records.ts";
import { DEFAULT_KEY_BYTES, MAX_PREFIX } from "../../store/vocabulary.ts";
import type { Workspace } from "../../store/workspace.ts";
import { customerOf, type Customer, type Customers } from "./customers.ts";
import { Draw } from "./draw.ts";
import {
  allowances,
  expiring,
  lifetimes,
  limits,
  prefixes,
  purposes,
  regions,
  roles,
  shares,
  teams,
  windows,
  type Environment,
  type PlanName,
  type Purpose,
} from "./shares.ts";
import { atWork, DAY, HOUR, sometimeBefore } from "./times.ts";
import type { Names } from "./names.ts";

const byPurpose = purposes.map((purpose) => [purpose, purpose.weight] as const);
const permissions = [...new Set(Object.values(roles).flat())];

/** From what the keys of an API are made up. */
export interface KeySource {
  readonly api: Api;
  /** Selects the random bytes of this API. */
  readonly address: string;
  /** All keys are created before this time, in unix milliseconds. */
  readonly until: number;
  readonly customers: Customers;
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
  if (draw.chance(shares.withoutCustomer)) {
    const createdAt = atWork(sometimeBefore(until, draw), 0, draw);
    return { number, createdAt, owner: undefined };
  }
  const owner = customerOf(address, number);
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

/** A key of an API. It depends only on the random seed, the API, `until` and the number. */
export function keyOf(source: KeySource, { createdAt, number, owner }: Origin): Key {
  const { address, api, customers, identities, until, names } = source;
  const customer = owner === undefined ? undefined : customers.get(owner);
  const draw = new Draw(`${address}/key/${number}`);

  const purpose = draw.weighted(byPurpose);
  const { environment } = purpose;
  const plan = customer?.plan ?? "enterprise";
  const region = customer?.region ?? draw.weighted(Object.entries(regions));
  const name = keyNameOf(purpose, region, customer, draw, names);
  const prefix = prefixOf(api, environment);
  const byteLength = api.defaultByteLength ?? DEFAULT_KEY_BYTES;
  const value = makeKeyValue(`${address}/value/${number}`, prefix, byteLength);

  const isDisabled = draw.chance(shares.disabled);
  const isUpdated = draw.chance(shares.updated) || isDisabled;
  const expires = draw.chance(expiring[environment])
    ? createdAt + Number(draw.weighted(Object.entries(lifetimes[environment]))) * DAY
    : undefined;
  // An expired key is not changed any more.
  const last = Math.max(createdAt + 1_000, Math.min(until, expires ?? until) - 1);
  const updatedAt = draw.integer(createdAt + 1_000, last);
  const isRecoverable = draw.chance(shares.recoverable) && api.storeEncryptedKeys;

  const meta = draw.chance(shares.withMeta) ? metaOf(region, customer, draw) : undefined;
  const count = countOf(draw, plan);
  const ratelimits = ratelimitsOf(draw, limits[plan]);
  const own = draw.chance(shares.ownPermission)
    ? [permissions[draw.integer(0, permissions.length - 1)] ?? ""]
    : [];
  const drawn = { ...count, expires, ratelimits };
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
    ...usageOf(drawn, createdAt, `${address}/usage/${number}`, until),
    roles: purpose.role === undefined ? [] : [purpose.role],
    permissions: own,
    enabled: !isDisabled,
    environment,
    plaintext: isRecoverable ? value : undefined,
  };
  return new Key(members, value);
}

/** The members that decide how long a key can be used. */
type Usage = Pick<
  Complete<KeyMembers>,
  "expires" | "lastUsedAt" | "ratelimits" | "refill" | "remaining"
>;

/**
 * The usage of a key. Some keys are interesting to verify: they have few uses left, an expiry or a refill
 * within a day, or another rate limit. It has separate draws, so that other members do not depend on it.
 */
function usageOf(
  { expires, ratelimits, refill, remaining }: Omit<Usage, "lastUsedAt">,
  createdAt: number,
  address: string,
  until: number,
): Usage {
  const draw = new Draw(address);
  const lastUse = Math.min(until, expires ?? until) - 1;
  const isUsed = draw.chance(shares.used) && lastUse > createdAt;
  const lastUsedAt = draw.integer(
    Math.max(createdAt, lastUse - 30 * DAY),
    Math.max(createdAt, lastUse),
  );
  const isRunningOut = draw.chance(shares.runningOut) && remaining !== undefined && remaining > 3;
  const isRefilledTomorrow = draw.chance(shares.refilledTomorrow) && refill?.interval === "monthly";
  const isExpiringSoon = draw.chance(shares.expiringSoon) && (expires ?? until) >= until;
  const isLimitedByDay = draw.chance(shares.limitedByDay);
  const few = draw.integer(1, 3);
  const soon = until + draw.integer(HOUR / 60, DAY);
  return {
    expires: isExpiringSoon ? soon : expires,
    lastUsedAt: isUsed ? lastUsedAt : undefined,
    ratelimits: (isLimitedByDay ? byDay.get(ratelimits) : undefined) ?? ratelimits,
    refill: isRefilledTomorrow
      ? { ...refill, refillDay: new Date(until + DAY).getUTCDate() }
      : refill,
    remaining: isRunningOut ? few : remaining,
  };
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

function countOf(draw: Draw, plan: PlanName): Pick<Usage, "refill" | "remaining"> {
  if (!draw.chance(shares.counted)) return { remaining: undefined, refill: undefined };
  const amount = Number(draw.weighted(Object.entries(allowances[plan])));
  const remaining = draw.chance(shares.usedUp) ? 0 : draw.integer(1, amount);
  if (!draw.chance(shares.refilled)) return { remaining, refill: undefined };
  if (!draw.chance(shares.monthly)) return { remaining, refill: { interval: "daily", amount } };
  // Most refills are on the first of the month, others on the day on which the customer began to pay.
  const refillDay = draw.chance(0.6) ? 1 : draw.integer(2, 28);
  return { remaining, refill: { interval: "monthly", amount, refillDay } };
}

/** Most keys have none. Keys with the same limit share the list, to save memory. */
function ratelimitsOf(draw: Draw, limit: number): NamedRatelimit[] {
  if (!draw.chance(shares.ratelimited)) return NO_LIMITS;
  const isAsync = draw.chance(shares.fast);
  const duration = Number(draw.weighted(Object.entries(windows)));
  return ratelimitOf[`${limit}/${duration}/${isAsync}`] ?? NO_LIMITS;
}

/** The lists of one rate limit that made-up keys have, by limit, window and `async`. */
const ratelimitOf: Readonly<Record<string, NamedRatelimit[]>> = Object.fromEntries(
  Object.values(limits).flatMap((limit) =>
    Object.keys(windows).flatMap((window) =>
      [true, false].map((async) => {
        const duration = Number(window);
        const named = { name: DEFAULT_RATELIMIT, limit, duration, autoApply: true, async };
        return [`${limit}/${duration}/${async}`, toRatelimits([named])] as const;
      }),
    ),
  ),
);

const NO_LIMITS: NamedRatelimit[] = [];

/** The same lists with another limit for a whole day: a thousand times the uses of a window. */
const byDay: ReadonlyMap<NamedRatelimit[], NamedRatelimit[]> = new Map(
  Object.values(ratelimitOf).map((ratelimits) => {
    const limit = 1_000 * (ratelimits[0]?.limit ?? 1);
    const daily = { name: "daily", limit, duration: DAY, autoApply: true };
    return [ratelimits, toRatelimits([...ratelimits, daily])];
  }),
);
