import { DEFAULT_KEY_BYTES, MAX_PREFIX } from "../../contract/create-key.ts";
import type { Refill } from "../../contract/key-record.ts";
import { idAt } from "../../store/id-sequence.ts";
import { makeKeyValue, startOf } from "../../store/key-value.ts";
import { Key, type Api } from "../../store/records.ts";
import { customerOf, sometimeBefore, type Customers } from "./customers.ts";
import { Draw, weigh, weighNames, weighNumbers } from "./draw.ts";
import {
  allowances,
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
  type Purpose,
} from "./shares.ts";
import type { Words } from "./words.ts";

const DAY = 24 * 3_600_000;
const byPurpose = weigh(purposes, ({ weight }) => weight);
const byRegion = weighNames(regions);
const byTeam = weighNames(teams);
const byWindow = weighNumbers(windows);
const byAllowance = weighNumbers(allowances);
const byLifetime = weighNumbers(lifetimes);
const permissions = [...new Set(Object.values(roles).flat())];

/** What the keys of an API are made with. */
export interface KeySource {
  readonly api: Api;
  /** Names the chance of this API. */
  readonly address: string;
  /** The time that creation counts back from (unix milliseconds). */
  readonly until: number;
  readonly customers: Customers;
  readonly words: Words;
}

/** Where a key comes from: what decides its place among the others. */
export interface Origin {
  /** Unix milliseconds. */
  readonly createdAt: number;
  /** The number of the customer; undefined for a key of the product's own. */
  readonly owner: number | undefined;
}

export function originOf({ address, customers, until }: KeySource, number: number): Origin {
  const draw = new Draw(`${address}/origin/${number}`);
  if (draw.chance(shares.withoutCustomer)) {
    return { createdAt: Math.max(0, sometimeBefore(until, draw)), owner: undefined };
  }
  const owner = customerOf(address, number);
  const { since } = customers.get(owner);
  // A customer's first key comes within the hour, every further one at any time since.
  const span = Math.max(0, until - 1_000 - since);
  const within = owner === number ? Math.min(span, 3_600_000) : span;
  return { createdAt: since + Math.floor(draw.fraction() * within), owner };
}

/** Key `number` of an API. It depends on the random seed, the API, the time and the number alone. */
export function keyOf(source: KeySource, number: number, { createdAt, owner }: Origin): Key {
  const { address, api, customers, until, words } = source;
  const customer = owner === undefined ? undefined : customers.get(owner);
  const draw = new Draw(`${address}/key/${number}`);

  const purpose = draw.weighted(byPurpose);
  const region = customer?.region ?? draw.weighted(byRegion);
  const name = nameOf(purpose, region, draw, words);
  const prefix = prefixOf(api, purpose.environment);
  const byteLength = api.defaultByteLength ?? DEFAULT_KEY_BYTES;
  const value = makeKeyValue(`${address}/value/${number}`, prefix, byteLength);

  const isDisabled = draw.chance(shares.disabled);
  const isUpdated = draw.chance(shares.updated) || isDisabled;
  const updatedAt = draw.integer(createdAt + 1_000, Math.max(createdAt + 1_000, until - 1));
  const expires = draw.chance(shares.expiring)
    ? createdAt + draw.weighted(byLifetime) * DAY
    : undefined;
  const isRecoverable = draw.chance(shares.recoverable) && api.storeEncryptedKeys;

  return new Key({
    id: idAt("key", createdAt, `${address}/id/${number}`),
    apiId: api.id,
    start: startOf(value, prefix),
    name,
    ownerId: customer?.externalId,
    identityId: customer?.id,
    meta: draw.chance(shares.withMeta) ? { region, team: draw.weighted(byTeam) } : undefined,
    createdAt,
    updatedAt: isUpdated ? updatedAt : undefined,
    expires,
    ...countOf(draw),
    ratelimit: ratelimitOf(draw, limits[customer?.plan ?? "enterprise"]),
    roles: purpose.role === undefined ? [] : [purpose.role],
    permissions: draw.chance(shares.ownPermission)
      ? [permissions[draw.integer(0, permissions.length - 1)] ?? ""]
      : [],
    enabled: !isDisabled,
    environment: purpose.environment,
    plaintext: isRecoverable ? value : undefined,
  });
}

function nameOf(purpose: Purpose, region: string, draw: Draw, words: Words): string {
  const name = purpose.name.includes("{person}")
    ? purpose.name.replace("{person}", words.from(draw).person.firstName())
    : purpose.name;
  return draw.chance(shares.namedByRegion) ? `${name} (${region})` : name;
}

function prefixOf({ defaultPrefix = "" }: Api, environment: Environment): string {
  const kind = prefixes[environment];
  const prefix = defaultPrefix === "" ? kind : `${defaultPrefix}_${kind}`;
  return prefix.length > MAX_PREFIX ? kind : prefix;
}

function countOf(draw: Draw): { remaining?: number; refill?: Refill } {
  if (!draw.chance(shares.counted)) return {};
  const amount = draw.weighted(byAllowance);
  const remaining = draw.chance(shares.usedUp) ? 0 : draw.integer(1, amount);
  if (!draw.chance(shares.refilled)) return { remaining };
  if (!draw.chance(shares.monthly)) return { remaining, refill: { interval: "daily", amount } };
  // Most begin with the month; the others at the day on which the customer began to pay.
  const refillDay = draw.chance(0.6) ? 1 : draw.integer(2, 28);
  return { remaining, refill: { interval: "monthly", amount, refillDay } };
}

function ratelimitOf(draw: Draw, limit: number) {
  if (!draw.chance(shares.ratelimited)) return undefined;
  return { async: draw.chance(shares.fast), limit, duration: draw.weighted(byWindow) };
}
