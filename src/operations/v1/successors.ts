import { readPermissionObject, type PermissionQuery } from "../../contract/permission-query.ts";
import type { CreateKeyBody } from "./create-key.ts";
import type { LimitBody } from "./limit.ts";
import type { ListKeysQuery } from "./list-keys.ts";
import type { UpdateKeyBody } from "./update-key.ts";
import type { VerifyKeyBody } from "./verify-key.ts";

/** A call of v2 that does the same as a call of v1. */
export interface Successor {
  /** Default: the name in v1. */
  readonly operation?: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** Differences that the body cannot express, for the warning. */
  readonly notes: readonly string[];
}

/** Returns those of the names that no role of the workspace has. */
export type MissingRoles = (names?: readonly string[]) => readonly string[];

/** For each operation of v1, makes the call of v2 from the parsed input. */
export const successors: Readonly<
  Record<string, (input: never, missingRoles: MissingRoles) => Successor>
> = {
  "keys.createKey": toCreateKey,
  "apis.listKeys": toListKeys,
  "keys.verifyKey": toVerifyKey,
  "keys.getKey": sameBody,
  "keys.updateKey": toUpdateKey,
  "keys.deleteKey": sameBody,
  "keys.updateRemaining": ({ op, ...same }: { readonly op: string }) => ({
    operation: "keys.updateCredits",
    body: { ...same, operation: op },
    notes: [],
  }),
  "keys.whoami": sameBody,
  "keys.addPermissions": withNames("permissions"),
  "keys.removePermissions": withNames("permissions"),
  "keys.setPermissions": withNames("permissions"),
  "keys.addRoles": withNames("roles"),
  "keys.removeRoles": withNames("roles"),
  "keys.setRoles": withNames("roles"),
  "apis.createApi": sameBody,
  "apis.getApi": sameBody,
  "apis.deleteApi": sameBody,
  "ratelimits.limit": ({ cost, duration, identifier, limit, namespace }: LimitBody) => ({
    operation: "ratelimit.limit",
    body: { namespace, identifier, limit, duration, cost },
    notes: ["v2 counts in a sliding window"],
  }),
};

function sameBody(input: object): Successor {
  return { body: withoutEmpty(input), notes: [] };
}

interface Named {
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  readonly slug?: string | undefined;
}

const BY_NAME = "v2 takes names and no ids";

function withNames(member: "permissions" | "roles") {
  return (input: { readonly keyId: string } & { readonly [Name in typeof member]?: Named[] }) => {
    const items = input[member] ?? [];
    const notes = items.some(({ id }) => id !== undefined) ? [BY_NAME] : [];
    return { body: { keyId: input.keyId, [member]: namesOf(items) }, notes };
  };
}

function namesOf(items: readonly Named[]): string[] {
  return items.flatMap(({ name, slug = name }) => slug ?? []);
}

function toCreateKey(input: CreateKeyBody, missingRoles: MissingRoles): Successor {
  const { environment, externalId, ownerId, ratelimit, refill, remaining, ...same } = input;
  const missing = missingRoles(input.roles);
  return {
    body: withoutEmpty({
      ...same,
      externalId: externalId || ownerId,
      expires: input.expires || undefined,
      credits: remaining === undefined ? undefined : { remaining, refill: toRefill(refill) },
      ratelimits: ratelimit && [toRatelimit(ratelimit)],
    }),
    notes: [
      ...(environment === undefined ? [] : ["v2 has no environment"]),
      ...(missing.length > 0
        ? [`v2 does not create roles that do not exist: ${missing.join(", ")}`]
        : []),
    ],
  };
}

function toUpdateKey(input: UpdateKeyBody): Successor {
  const { externalId, ownerId, permissions, ratelimit, refill, remaining, roles, ...same } = input;
  const credits = withoutEmpty({ remaining, refill: refill && toRefill(refill) });
  if (refill === null) credits["refill"] = null;
  return {
    body: withoutEmpty({
      ...same,
      externalId: externalId === undefined ? ownerId : externalId,
      expires: input.expires === 0 ? null : input.expires,
      credits: Object.keys(credits).length === 0 ? undefined : credits,
      ratelimits: ratelimit && [toRatelimit(ratelimit)],
      roles: roles && namesOf(roles),
      permissions: permissions && namesOf(permissions),
    }),
    notes: [
      ...(ratelimit === undefined ? [] : ["`ratelimits` replaces all rate limits of the key"]),
      ...([...(roles ?? []), ...(permissions ?? [])].some(({ id }) => id) ? [BY_NAME] : []),
    ],
  };
}

function toRatelimit({
  duration,
  limit,
  refillInterval,
}: {
  readonly limit: number;
  readonly duration?: number | undefined;
  readonly refillInterval?: number | undefined;
}) {
  return { name: "default", limit, duration: duration ?? refillInterval, autoApply: true };
}

/** In v2, a monthly refill needs a day. */
function toRefill(refill: CreateKeyBody["refill"]): CreateKeyBody["refill"] {
  return refill?.interval === "monthly" ? { refillDay: 1, ...refill } : refill;
}

function toListKeys(input: ListKeysQuery): Successor {
  const { cursor, externalId, ownerId, ...same } = input;
  return {
    body: withoutEmpty({ ...same, externalId: externalId ?? ownerId }),
    notes: cursor === undefined ? [] : ["its cursor is `pagination.cursor` of the page before"],
  };
}

function toVerifyKey(input: VerifyKeyBody): Successor {
  const { apiId, authorization, ratelimit: _, remaining, ...same } = input;
  const query = readPermissionObject(authorization?.permissions);
  return {
    body: withoutEmpty({
      ...same,
      permissions: query === undefined || query === "invalid" ? undefined : toQueryText(query),
      credits: remaining && { cost: remaining.cost ?? 1 },
    }),
    notes: [
      "v2 needs a token with the permission to verify",
      ...(apiId ? ["v2 has no apiId: the permission of the token decides which APIs count"] : []),
    ],
  };
}

/** A permission query in the notation of v2. */
function toQueryText(query: PermissionQuery): string {
  if ("name" in query) return query.name;
  if ("or" in query) return `(${query.or.map(toQueryText).join(" OR ")})`;
  return `(${query.and.map(toQueryText).join(" AND ")})`;
}

/** v2 refuses empty text. In v1, it means that a member is not given. */
function withoutEmpty(members: object): Record<string, unknown> {
  const given = Object.entries(members).filter(([, value]) => value !== undefined && value !== "");
  return Object.fromEntries(given);
}
