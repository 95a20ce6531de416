import type { CreateKeyBody } from "./create-key.ts";
import type { ListKeysQuery } from "./list-keys.ts";

/** A call of v2 that does the same as a call of v1. */
export interface Successor {
  readonly operation: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** What the body cannot express, as clauses. */
  readonly notes: readonly string[];
}

/** The calls of v2 that replace those of v1, by operation and from the parsed input. */
export const successors: Readonly<Record<string, (input: never) => Successor>> = {
  "keys.createKey": toCreateKey,
  "apis.listKeys": toListKeys,
};

function toCreateKey(input: CreateKeyBody): Successor {
  const { environment, externalId, ownerId, ratelimit, refill, remaining, ...same } = input;
  const { limit, duration = ratelimit?.refillInterval } = ratelimit ?? {};
  return {
    operation: "keys.createKey",
    body: withoutEmpty({
      ...same,
      externalId: externalId || ownerId,
      expires: input.expires === 0 ? undefined : input.expires,
      credits: remaining === undefined ? undefined : { remaining, refill: toRefill(refill) },
      ratelimits: ratelimit && [{ name: "default", limit, duration, autoApply: true }],
    }),
    notes: [
      ...(environment === undefined ? [] : ["v2 has no environment"]),
      ...(input.roles?.length ? ["v2 does not create roles"] : []),
    ],
  };
}

/** In v2, a monthly refill needs a day. */
function toRefill(refill: CreateKeyBody["refill"]): CreateKeyBody["refill"] {
  return refill?.interval === "monthly" ? { refillDay: 1, ...refill } : refill;
}

function toListKeys(input: ListKeysQuery): Successor {
  const { cursor, externalId, ownerId, ...same } = input;
  return {
    operation: "apis.listKeys",
    body: withoutEmpty({ ...same, externalId: externalId ?? ownerId }),
    notes: cursor === undefined ? [] : ["its cursor is `pagination.cursor` of the page before"],
  };
}

/** v2 refuses empty text, which means in v1 that a member is not given. */
function withoutEmpty(members: object): Record<string, unknown> {
  const given = Object.entries(members).filter(([, value]) => value !== undefined && value !== "");
  return Object.fromEntries(given);
}
