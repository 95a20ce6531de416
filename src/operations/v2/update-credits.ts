import { ApiError } from "../../contract/errors.ts";
import { updateCredits as contract } from "../../contract/v2/update-credits.ts";
import type { Key } from "../../store/records.ts";
import { defineOperation } from "../operation.ts";
import { onApi } from "../require-api.ts";
import { requireKey } from "../require-key.ts";
import { toWireRefill } from "./to-key-record.ts";

export const updateCredits = defineOperation({
  contract,

  run({ demand, input: { keyId, operation, value }, workspace }) {
    const key = requireKey(workspace, keyId);
    demand([onApi(key.apiId, "update_key")]);
    if (value === undefined || (value === null && operation !== "set")) {
      throw badRequest(
        `value: expected a number to ${operation}, got ${value === null ? "null" : "nothing"}`,
      );
    }
    // As in the service, `updatedAt` stays, and a key with any number of uses has no refill.
    const { refill, remaining } =
      value === null
        ? workspace.keys.revise(key, { remaining: undefined, refill: undefined })
        : workspace.keys.revise(key, { remaining: result(key, operation, value) });
    return {
      data: { refill: refill && toWireRefill(refill), remaining: remaining ?? null },
    };
  },
});

/** Unlike in v1, the uses left never fall below 0. */
function result(
  { remaining }: Key,
  operation: "set" | "increment" | "decrement",
  value: number,
): number {
  if (operation === "set") return value;
  if (remaining === undefined) {
    throw badRequest(
      `operation: the key can be used any number of times; \`set\` a value, not ${operation}`,
    );
  }
  const changed = Math.max(0, operation === "increment" ? remaining + value : remaining - value);
  if (!Number.isSafeInteger(changed)) {
    throw badRequest(`value: expected uses left of at most ${Number.MAX_SAFE_INTEGER}`);
  }
  return changed;
}

function badRequest(detail: string): ApiError {
  return new ApiError("BAD_REQUEST", detail);
}
