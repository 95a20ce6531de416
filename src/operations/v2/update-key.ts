import { updateKey as contract, type UpdateKeyBody } from "../../contract/v2/update-key.ts";
import type { Key, KeyMembers } from "../../store/key.ts";
import type { Workspace } from "../../store/workspace.ts";
import { defineOperation } from "../operation.ts";
import { ownerMembers } from "../owner.ts";
import { onApi } from "../require-api.ts";
import { checkRefillDay } from "./check-refill-day.ts";
import { refusals, refuse } from "./refusals.ts";
import { requireKey } from "./require-key.ts";
import { requireRoles } from "./require-roles.ts";

export const updateKey = defineOperation({
  contract,

  /** All checks come before the first change, so that a refusal leaves nothing behind. */
  run(call) {
    const { demand, input, workspace } = call;
    const key = requireKey(call);
    demand([onApi(key.apiId, "update_key")]);
    checkRefill(input);
    requireRoles(call, input.roles);
    const updatedAt = workspace.clock.now();
    workspace.keys.revise(key, { ...membersOf(workspace, key, input), updatedAt });
    return { data: {} };
  },
});

function checkRefill({ credits }: UpdateKeyBody): void {
  const refill = credits?.refill;
  if (!refill) return;
  checkRefillDay(refill);
  if (refill.interval === "daily" && refill.refillDay !== undefined) {
    throw refuse(refusals.dailyRefillDay);
  }
}

/** The members of the key that change. */
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
    ...(permissions && { permissions }),
  };
}

/** Without a limit of uses there is no refill, unless the same call sets one. */
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
