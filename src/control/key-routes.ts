import type * as z from "zod/mini";
import { ApiError } from "../api/errors.ts";
import { limitsLeft } from "../service/operations/verification.ts";
import * as f from "../schema/fields.ts";
import type { Key } from "../state/keys/key.ts";
import type { Identity } from "../state/records/identities.ts";
import type { Workspace } from "../state/workspace.ts";
import { dailyUses } from "../state/usage/usage.ts";
import { keyLimits } from "./route-schemas.ts";
import { identityRecord, keyState, toShown } from "./record-kinds.ts";
import { defineRoute, type ControlRoute } from "./route.ts";

// Routes and parameters that only keys have.

export const keyQuery = f.objectOf({
  apiId: f.optional(f.text({ min: 1 }), "Only keys of this API."),
  externalId: f.optional(
    f.text({ min: 1 }),
    "Only keys of the identity with exactly this external id.",
  ),
  state: f.optional(
    f.choice(["valid", "disabled", "expired", "usedUp"]),
    "Only keys that are in this state by the emulator's clock. `valid` are those in none of the others.",
  ),
});
export type KeyQuery = Readonly<z.output<typeof keyQuery>>;

/** Further members of a list of keys. */
export const besideKeys = {
  identities: f.described(
    f.listOf(identityRecord, "identities"),
    "The identities that the keys of the page belong to.",
  ),
  usage: f.optional(
    f.listOf(f.listOf(f.integer({ min: 0 }), "counts"), "counts of keys"),
    "With `usage`: the verifications of each key on the last 30 days, the oldest day first.",
  ),
};

export function toBesideKeys(
  keys: readonly object[],
  workspace: Workspace,
  withUsage = false,
): object {
  const usage = () => (keys as readonly Key[]).map((key) => dailyUses(workspace, key));
  return {
    identities: identitiesOf(keys as readonly Key[], workspace),
    ...(withUsage && { usage: usage() }),
  };
}

/** Whether a key has the external id and the state; undefined if neither was asked for. */
export function keyTestOf(
  { externalId, state }: KeyQuery,
  now: number,
): ((key: Key) => boolean) | undefined {
  if (externalId === undefined && state === undefined) return undefined;
  return (key) =>
    (externalId === undefined || key.externalId === externalId) &&
    (state === undefined || isIn(state, key, now));
}

function isIn(state: NonNullable<KeyQuery["state"]>, key: Key, now: number): boolean {
  const { enabled, expires = Infinity, remaining = Infinity } = key;
  switch (state) {
    case "disabled":
      return !enabled;
    case "expired":
      // In the millisecond of `expires`, a key is still valid.
      return expires < now;
    case "usedUp":
      return remaining <= 0;
    case "valid":
      return enabled && expires >= now && remaining > 0;
  }
}

function identitiesOf(keys: readonly Key[], { identities }: Workspace): readonly Identity[] {
  const ids = new Set(keys.map(({ identityId }) => identityId));
  return [...ids].flatMap((id) => identities.get(id) ?? []);
}

export const keyRoutes: readonly ControlRoute[] = [
  defineRoute("POST /keys/find", {
    summary: "Show the key with a value",
    isForWatching: true,
    description: "Finds a key by its value, also one that is not recoverable.",
    body: f.component("KeyValue", "The value of a key.", {
      value: f.described(f.text({ min: 1 }), "The value of the key."),
    }),
    answers: { 200: keyState, 404: null },
    run(world, { body, token }) {
      const { workspace } = world.openAccess(token);
      const key = workspace.keys.findBySecret(body.value);
      if (key === undefined) throw new ApiError("NOT_FOUND", "there is no key with this value");
      return { body: toShown(key, workspace) };
    },
  }),
  defineRoute("GET /key-limits/{id}", {
    summary: "Show the uses left in the rate limits of a key",
    isForWatching: true,
    description:
      "The rate limits of the key and of its identity, where one of the key overrides one of the identity with the same name. Nothing is counted.",
    answers: { 200: keyLimits, 404: null },
    run(world, { id, token }) {
      const { workspace } = world.openAccess(token);
      const key = workspace.keys.get(id);
      if (key === undefined) throw new ApiError("NOT_FOUND", "there is no key with this id");
      const limits = limitsLeft(workspace, key, world.clock.now()).map((left) => {
        const { autoApply, duration, limit: most, name, remaining, reset } = left;
        return { name, limit: most, duration, autoApply, remaining, reset };
      });
      return { body: { limits } };
    },
  }),
];
