import * as z from "zod/mini";
import * as f from "../../../schema/fields.ts";
import { lazily } from "../../../base/lazily.ts";
import type { Key, KeyMembers } from "../../../state/keys/key.ts";
import type { Workspace } from "../../../state/workspace.ts";
import { about } from "../fields.ts";
import { onKey, operationOfV2 } from "../operation.ts";
import { ownerMembers } from "../keys.ts";
import * as fields from "./fields.ts";
import { refusals, refuse, requireKey, requireNamed } from "./refusals.ts";

const creditsChange = lazily(() =>
  f.described(
    f.closedObjectOf({
      remaining: f.optional(
        z.nullable(f.integer({ min: 0 })),
        "Uses left; null: any number, and no refill.",
      ),
      refill: z.optional(z.nullable(fields.refillInput())),
    }),
    { id: "CreditsChange", description: "How often the key can be used." },
  ),
);

/** Members that are left out stay as they are; null clears a member. */
const updateKeyBody = lazily(() =>
  f.described(
    f.closedObjectOf({
      keyId: fields.keyId(),
      name: z.optional(z.nullable(f.text({ min: 1, max: 255 }))),
      externalId: z.optional(f.described(z.nullable(fields.externalId()), about.externalId)),
      meta: z.optional(z.nullable(fields.meta())),
      expires: f.optional(
        z.nullable(f.integer({ min: 0, max: fields.MAX_EXPIRES })),
        "When the key expires. Unix milliseconds.",
      ),
      credits: z.optional(z.nullable(creditsChange())),
      ratelimits: f.optional(
        z.nullable(fields.ratelimitList()),
        "Its rate limits, in place of all others; null: none.",
      ),
      enabled: z.optional(f.described(f.flag(), about.enabled)),
      roles: f.optional(fields.roleNames(), "Its roles, in place of all others. They must exist."),
      permissions: f.optional(
        fields.permissionNames(),
        "Its own permissions, in place of all others; missing ones are created.",
      ),
    }),
    { id: "UpdateKeyBody", description: "The members to change." },
  ),
);
type UpdateKeyBody = z.output<ReturnType<typeof updateKeyBody>>;

export const updateKey = operationOfV2("keys.updateKey", {
  summary: "Change a key",
  description: "Changes the members that are sent; null clears a member.",
  input: updateKeyBody,
  output: () => f.objectOf({ data: f.objectOf({}) }),

  /** All checks come before the first change, so that a refusal leaves nothing behind. */
  run(call) {
    const { demand, input, workspace } = call;
    const key = requireKey(call);
    demand([onKey(key, "update_key")]);
    checkRefill(input);
    requireNamed(call, "roles", input.roles);
    const updatedAt = workspace.clock.now();
    workspace.keys.revise(key, { ...membersOf(workspace, key, input), updatedAt });
    return { data: {} };
  },
});

function checkRefill({ credits }: UpdateKeyBody): void {
  const refill = credits?.refill;
  if (!refill) return;
  fields.checkRefillDay(refill);
  if (refill.interval === "daily" && refill.refillDay !== undefined) {
    throw refuse(refusals.dailyRefillDay);
  }
}

function membersOf(workspace: Workspace, key: Key, input: UpdateKeyBody): Partial<KeyMembers> {
  const { credits, enabled, expires, externalId, meta, name } = input;
  const { permissions, ratelimits, roles } = input;
  return {
    ...(name !== undefined && { name: name ?? undefined }),
    ...(externalId !== undefined && ownerMembers(workspace, externalId)),
    ...(meta !== undefined && { meta: meta ?? undefined }),
    ...(expires !== undefined && { expires: expires ?? undefined }),
    ...(credits !== undefined && creditsOf(key, credits)),
    ...(ratelimits !== undefined && { ratelimits: ratelimits ?? [] }),
    ...(enabled !== undefined && { enabled }),
    ...(roles && { roles }),
    ...(permissions && { permissions: workspace.permissions.spelled(permissions) }),
  };
}

/** A key with unlimited uses has no refill, unless the same call sets one. */
function creditsOf(key: Key, credits: UpdateKeyBody["credits"]): Partial<KeyMembers> {
  const { refill, remaining } = credits ?? { refill: null, remaining: null };
  const lastRefillAt = key.refill?.lastRefillAt;
  const isRefillCleared = refill === null || (remaining === null && refill === undefined);
  return {
    ...(remaining !== undefined && { remaining: remaining ?? undefined }),
    ...(isRefillCleared && { refill: undefined }),
    ...(refill && { refill: { ...refill, lastRefillAt } }),
  };
}
