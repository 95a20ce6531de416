import { ApiError } from "../../contract/errors.ts";
import {
  updateCredits as contract,
  type UpdateCreditsBody,
} from "../../contract/v2/update-credits.ts";
import type { Key, KeyMembers } from "../../store/key.ts";
import { defineOperation } from "../operation.ts";
import { onApi } from "../require-api.ts";
import { refusals, refuse } from "./refusals.ts";
import { requireKey } from "./require-key.ts";
import { toWireRefill } from "./to-key-record.ts";

export const updateCredits = defineOperation({
  contract,

  run(call) {
    const { demand, input, workspace } = call;
    const key = requireKey(call);
    demand([onApi(key.apiId, "update_key")]);
    // As in the service, `updatedAt` stays.
    const { refill, remaining } = workspace.keys.revise(key, membersOf(key, input));
    return {
      data: { refill: refill && toWireRefill(refill), remaining: remaining ?? null },
    };
  },
});

/** The members of the key that change. */
function membersOf(
  { remaining }: Key,
  { operation, value }: UpdateCreditsBody,
): Partial<Pick<KeyMembers, "refill" | "remaining">> {
  if (operation === "set") {
    // As in the service, null ends the refills too; no value leaves them for the next limit.
    return value === null ? { remaining: undefined, refill: undefined } : { remaining: value };
  }
  if (value === null || value === undefined) {
    const got = value === null ? "null" : "nothing";
    throw refuse(refusals.noValue, `value: expected a number to ${operation} by, got ${got}`);
  }
  if (remaining === undefined) {
    const hint = `the key can be used any number of times; \`set\` a value, not ${operation}`;
    throw refuse(refusals.unlimitedCredits, hint);
  }
  // Unlike in v1, the uses left never fall below 0.
  const changed = Math.max(0, operation === "increment" ? remaining + value : remaining - value);
  if (!Number.isSafeInteger(changed)) {
    const detail = `value: expected uses left of at most ${Number.MAX_SAFE_INTEGER}`;
    throw new ApiError("BAD_REQUEST", detail);
  }
  return { remaining: changed };
}
