import { UsageError } from "../../base/usage-error.ts";
import { creditsOf, ratelimitsOf } from "../../state/keys/to-key.ts";
import type { KeyMembers } from "../../state/keys/key.ts";
import { toRatelimits } from "../../state/limits/ratelimits.ts";
import type { Api } from "../../state/records/apis.ts";
import type { Listed, Workspace } from "../../state/workspace.ts";
import type { CountedRequest, GenerateRequest } from "../format.ts";

type Like = NonNullable<GenerateRequest["like"]>;
type Shares = NonNullable<GenerateRequest["shares"]>;

export interface Order {
  readonly like: Like;
  readonly members: Partial<KeyMembers>;
  readonly shares: Shares;
  /** Each key has one of these roles; undefined for generated roles. */
  readonly roles: readonly string[] | undefined;
  /** Some keys have one of these permissions; undefined for generated permissions. */
  readonly permissions: readonly string[] | undefined;
  /** The owners of all keys; undefined for generated customers. */
  readonly customers: readonly OrderedCustomer[] | undefined;
}

export type OrderedCustomer = NonNullable<GenerateRequest["customers"]>[number];

export interface Batch {
  readonly api: Api;
  readonly address: string;
  readonly order: Order;
  count: number;
}

/**
 * The keys to generate. Each order is a batch of its API, so that it does not depend on other requests.
 * All other keys of an API are one batch. The keys of requests without an API are spread evenly, and
 * the first APIs get the remainder.
 * @throws UsageError if no API of a request can have keys
 */
export function batchesOf(
  workspace: Workspace,
  requests: readonly CountedRequest[],
  address: string,
): readonly Batch[] {
  const withKeyspace = workspace.apis.all().filter(({ keyspace }) => keyspace);
  const orders = new Map(workspace.listed.orders);
  const batchOf = (api: Api, own: string, request?: GenerateRequest): Batch => {
    const order = orderOf(workspace, request);
    return { api, address: `${address}/api/${api.id}${own}`, order, count: 0 };
  };
  const plain = withKeyspace.map((api) => batchOf(api, ""));
  const ordered: Batch[] = [];
  for (const request of requests) {
    const { apiId, count } = request;
    const named = plain.filter(({ api }) => apiId === undefined || api.id === apiId);
    if (named.length === 0) throw new UsageError("generate: expected an API that can hold keys");
    const { customers, like, roles, shares } = request;
    const isOrder = [customers, like, roles, shares].some((member) => member !== undefined);
    const batches = !isOrder
      ? named
      : named.map(({ api }) => {
          const made = orders.get(api.id) ?? 0;
          orders.set(api.id, made + 1);
          const batch = batchOf(api, `/order/${made}`, request);
          ordered.push(batch);
          return batch;
        });
    batches.forEach((batch, index) => {
      batch.count += Math.floor(count / named.length) + (index < count % named.length ? 1 : 0);
    });
  }
  workspace.listed = { ...workspace.listed, orders };
  return [...plain, ...ordered].filter(({ count }) => count > 0);
}

/** An order. Its default roles, permissions and customers are the listed ones. */
function orderOf(workspace: Workspace, request: Partial<GenerateRequest> = {}): Order {
  const { customers, like = {}, shares = {} } = request;
  const listed = remaining(workspace);
  const hasRules = listed.roles.length > 0 || listed.permissions.length > 0;
  const roles = request.roles ?? like.roles ?? (hasRules ? listed.roles : undefined);
  const { identities } = listed;
  return {
    like,
    members: membersLike(like),
    shares,
    roles,
    permissions: roles && permissionsOf(workspace, roles, listed.permissions),
    customers:
      customers ??
      (identities.length > 0 ? identities.map((externalId) => ({ externalId })) : undefined),
  };
}

function remaining({ identities, listed, permissions, roles }: Workspace): Omit<Listed, "orders"> {
  return {
    roles: listed.roles.filter((name) => roles.named(name) !== undefined),
    permissions: listed.permissions.filter((slug) => permissions.named(slug) !== undefined),
    identities: listed.identities.filter((id) => identities.named(id) !== undefined),
  };
}

/** The listed permissions, or the permissions of the roles if none is listed. */
function permissionsOf(
  { roles }: Workspace,
  names: readonly string[],
  listed: readonly string[],
): readonly string[] {
  if (listed.length > 0) return listed;
  return [...new Set(names.flatMap((name) => roles.named(name)?.permissions ?? []))];
}

function membersLike(like: Like): Partial<KeyMembers> {
  const { enabled, environment, meta, name, permissions, roles } = like;
  const hasCredits = like.credits !== undefined || like.remaining !== undefined;
  const hasLimits = like.ratelimit !== undefined || like.ratelimits !== undefined;
  return {
    ...(enabled !== undefined && { enabled }),
    ...(environment !== undefined && { environment }),
    ...(meta !== undefined && { meta }),
    ...(name !== undefined && { name }),
    ...(permissions !== undefined && { permissions }),
    ...(roles !== undefined && { roles }),
    // In fixtures, 0 means that the key never expires.
    ...(like.expires !== undefined && { expires: like.expires || undefined }),
    ...(hasCredits && creditsOf(like)),
    ...(hasLimits && { ratelimits: toRatelimits(ratelimitsOf(like)) }),
  };
}

/** Irrational numbers, so that the multiples of each are spread evenly over the fractions. */
const [BY_STATE, BY_LIMIT] = [(Math.sqrt(5) - 1) / 2, Math.SQRT2 - 1];

/** Which of the ordered states key `number` has; undefined if the order does not say. */
export function stateOf({ disabled, expired, limited }: Shares, number: number) {
  const state = (number * BY_STATE) % 1;
  const end = expired ?? 0;
  return {
    isExpired: expired === undefined ? undefined : state < expired,
    // From 1 downwards, so that no key is both expired and disabled.
    isDisabled: disabled === undefined ? undefined : state >= end && state < end + disabled,
    isLimited: limited === undefined ? undefined : (number * BY_LIMIT) % 1 < limited,
  };
}
