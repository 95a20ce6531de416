import * as z from "zod/mini";
import { ApiError, badRequest } from "../../../api/errors.ts";
import * as f from "../../../schema/fields.ts";
import { lazily } from "../../../base/lazily.ts";
import { meta as anyMeta } from "../../../schema/meta.ts";
import { wireMessage } from "../../../schema/problems.ts";
import * as limits from "../../../state/limits/ratelimits.ts";
import type { Key, KeyMembers } from "../../../state/keys/key.ts";
import { refill as anyRefill } from "../../../state/vocabulary.ts";
import { refillProblems } from "../../../state/keys/key-problems.ts";
import type { Workspace } from "../../../state/workspace.ts";
import { about, MAX_ITEMS } from "../fields.ts";
import { type AdmittedCall, onKey, onRoles, operationOfV1 } from "../operation.ts";
import { ownerMembers } from "../keys.ts";
import { requireKey } from "./shared.ts";
import { quoted } from "../../../base/wording/text.ts";

/** Members that are left out stay as they are; null clears a member. */
const updateKeyBody = lazily(() =>
  f.component("UpdateKeyBody", "The members to change.", {
    keyId: f.described(f.text(), about.keyId),
    name: z.optional(z.nullable(f.text({ max: 256 }))),
    ownerId: z.optional(
      f.described(z.nullable(f.text({ max: 256 })), {
        deprecated: true,
        description: "The older name of `externalId`, which wins when both are sent.",
      }),
    ),
    externalId: z.optional(f.described(z.nullable(f.text({ max: 256 })), about.externalId)),
    meta: z.optional(z.nullable(anyMeta())),
    expires: f.optional(
      z.nullable(f.integer()),
      "When the key expires; 0 or null: never. Unix milliseconds.",
    ),
    remaining: z.optional(f.described(z.nullable(f.integer()), about.usesOrAny)),
    refill: z.optional(z.nullable(anyRefill())),
    ratelimit: z.optional(
      z.nullable(
        f.component("RatelimitChange", "The rate limit of the key.", {
          ...limits.plainRatelimit().shape,
          duration: z.optional(f.described(f.integer({ min: 1 }), about.window)),
        }),
      ),
    ),
    enabled: z.optional(f.described(f.flag(), about.enabled)),
    roles: f.optional(
      f.listOf(namedItem(), "roles", { max: MAX_ITEMS }),
      "Its roles, in place of all others.",
    ),
    permissions: f.optional(
      f.listOf(namedItem(), "permissions", { max: MAX_ITEMS }),
      "Its own permissions, in place of all others.",
    ),
  }),
);
type UpdateKeyBody = z.output<ReturnType<typeof updateKeyBody>>;

export const updateKey = operationOfV1("keys.updateKey", {
  summary: "Change a key",
  description: "Changes the members that are sent; null clears a member.",
  input: updateKeyBody,
  output: () => f.objectOf({}),

  /** All checks come before the first change, so that a refusal leaves nothing behind. */
  run(call) {
    const { demand, input, workspace } = call;
    const key = requireKey(workspace, input.keyId);
    demand([onKey(key, "update_key")]);
    checkRefill(input);
    const ratelimits = ratelimitsOf(key, input);
    const roles = input.roles && namesToSet(call, "role", key, input.roles);
    const permissions = input.permissions && namesToSet(call, "permission", key, input.permissions);
    // `updatedAt` does not move for rate limits, roles and permissions alone, as in the service.
    const isRowChanged = Object.keys(input).some((name) => !OTHER_MEMBERS.has(name));
    workspace.keys.revise(key, {
      ...membersOf(workspace, key, input),
      ratelimits,
      ...(roles && { roles }),
      ...(permissions && { permissions }),
      ...(isRowChanged && { updatedAt: workspace.clock.now() }),
    });
    return {};
  },
});

const OTHER_MEMBERS: ReadonlySet<string> = new Set(["keyId", "ratelimit", "roles", "permissions"]);

function checkRefill({ refill, remaining }: UpdateKeyBody): void {
  if (!refill) return;
  if (remaining === null) {
    throw badRequest("refill: expected none, because `remaining` is null: any number of uses");
  }
  const problems = refillProblems({ refill, remaining: remaining ?? 0 });
  if (problems.length > 0) throw badRequest(wireMessage(problems));
}

/** The members of the key that change, except for rate limits, roles and permissions. */
function membersOf(
  workspace: Workspace,
  key: Key,
  { enabled, expires, externalId, meta, name, ownerId, refill, remaining }: UpdateKeyBody,
): Partial<KeyMembers> {
  const owner = externalId === undefined ? ownerId : externalId;
  const lastRefillAt = key.refill?.lastRefillAt;
  return {
    ...(name !== undefined && { name: name ?? undefined }),
    ...(owner !== undefined && ownerMembers(workspace, owner)),
    ...(meta !== undefined && { meta: meta ?? undefined }),
    // 0 means never. Negative times become 0, because the emulator's clock starts at 0.
    ...(expires !== undefined && { expires: expires ? Math.max(0, expires) : undefined }),
    ...(remaining !== undefined && { remaining: remaining ?? undefined }),
    ...(refill !== undefined && {
      refill: refill === null ? undefined : { ...refill, lastRefillAt },
    }),
    ...(enabled !== undefined && { enabled }),
  };
}

/** The rate limits of the key after the call. v1 changes only the one called `default`. */
function ratelimitsOf({ ratelimits }: Key, { ratelimit }: UpdateKeyBody): limits.NamedRatelimit[] {
  if (ratelimit === undefined) return [...ratelimits];
  const others = ratelimits.filter(({ name }) => name !== limits.DEFAULT_RATELIMIT);
  if (ratelimit === null) return others;
  const { async = ratelimit.type !== "consistent", limit } = ratelimit;
  const before = limits.defaultRatelimit(ratelimits);
  const duration = ratelimit.duration ?? ratelimit.refillInterval ?? before?.duration;
  if (duration === undefined) {
    throw badRequest("ratelimit.duration: expected an integer of at least 1, got nothing");
  }
  return [{ name: limits.DEFAULT_RATELIMIT, limit, duration, autoApply: true, async }, ...others];
}

const namedItem = lazily(() =>
  f.component("NamedItem", "A role or permission, by its id or its name.", {
    id: f.optional(f.text({ min: 3 }), "Its identifier."),
    name: f.optional(f.text({ min: 1 }), "Its name."),
    create: f.optional(f.flag(), "Whether to create it if it does not exist."),
  }),
);

type Noun = "role" | "permission";

const collections = { role: "roles", permission: "permissions" } as const;

/** The refusal of the service if a token may not remove items. */
const MAY_NOT_REMOVE = { code: "UNAUTHORIZED", status: 403 } as const;

/**
 * The new names of roles, or slugs of permissions, of a key. An item may have an id and a name, and then
 * means both. An empty item is ignored.
 * @returns the names of existing items, then of items to create, without duplicates
 * @throws ApiError for an item that does not exist, and for a token that may not set them
 */
function namesToSet(
  { demand, workspace }: AdmittedCall<unknown>,
  noun: Noun,
  key: Key,
  items: readonly z.output<ReturnType<typeof namedItem>>[],
): string[] {
  const collection = collections[noun];
  const found = new Set<string>();
  const missing = new Set<string>();
  let unknown: ApiError | undefined;
  for (const { create, id, name } of items) {
    if (id !== undefined) {
      const item = workspace[collection].get(id);
      if (item === undefined) unknown ??= notFound(noun, id);
      else found.add(referenceTo(item));
    }
    if (name === undefined) continue;
    const item = itemNamed(workspace, noun, name);
    if (item !== undefined) found.add(referenceTo(item));
    else if (create) missing.add(name);
    else unknown ??= notFound(noun, name, "; send `create: true` to create it");
  }
  const before = new Set(key[collection]);
  const after = new Set([...found, ...missing]);
  const isRemoving = [...before].some((name) => !after.has(name));
  const isAdding = [...after].some((name) => !before.has(name));
  if (isRemoving) demand([onRoles(`remove_${noun}_from_key`)], MAY_NOT_REMOVE);
  if (unknown !== undefined) throw unknown;
  demand([
    ...(missing.size > 0 ? [onRoles(`create_${noun}`)] : []),
    ...(isAdding ? [onRoles(`add_${noun}_to_key`)] : []),
  ]);
  return [...after];
}

type Item = NonNullable<ReturnType<Workspace["roles" | "permissions"]["get"]>>;

function referenceTo(item: Item): string {
  return "slug" in item ? item.slug : item.name;
}

/**
 * The role or permission with this name. If several permissions have it, the one with this slug, or else
 * the first.
 */
function itemNamed({ permissions, roles }: Workspace, noun: Noun, name: string): Item | undefined {
  if (noun === "role") return roles.named(name);
  const likely = permissions.named(name);
  if (likely?.name === name) return likely;
  for (const permission of permissions.values()) if (permission.name === name) return permission;
  return undefined;
}

function notFound(noun: Noun, idOrName: string, note = ""): ApiError {
  const shown = quoted(idOrName, 100);
  return new ApiError("NOT_FOUND", `${noun}: there is no ${noun} ${shown}${note}`);
}
