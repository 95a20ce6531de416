import { ApiError } from "../../contract/errors.ts";
import { createKey as contract, type CreateKeyBody } from "../../contract/v2/create-key.ts";
import type { Workspace } from "../../store/workspace.ts";
import { defineOperation } from "../operation.ts";
import { describeApis, onApi } from "../require-api.ts";
import { checkRefillDay } from "./check-refill-day.ts";
import { requireRoles } from "./require-roles.ts";

/** Without the permission, the service answers as if there was no such API. */
const NOT_FOUND = {
  code: "NOT_FOUND",
  message: "The specified API was not found.",
  type: "unkey/data/api_not_found",
} as const;

export const createKey = defineOperation({
  contract,

  /** Checks in the order of the service; nothing is written before the last check. */
  run({ demand, input, may, workspace }) {
    const { apiId, credits, recoverable, roles } = input;
    const api = workspace.apis.get(apiId);
    if (api === undefined) {
      const { code, message, type } = NOT_FOUND;
      // A token without the permission must not learn which APIs exist.
      const hint = may([onApi(apiId, "create_key")]) ? describeApis(workspace) : undefined;
      throw new ApiError(code, message, { type, hint });
    }
    demand([onApi(apiId, "create_key")], NOT_FOUND);
    if (!api.keyspace) {
      throw preconditionFailed("The requested API is not set up to handle keys.");
    }
    if (recoverable) {
      demand([onApi(apiId, "encrypt_key")], NOT_FOUND);
      if (!api.storeEncryptedKeys) {
        throw preconditionFailed("This API does not support key encryption.");
      }
    }
    checkCredits(credits);
    requireRoles(workspace, roles);
    return { data: issue(workspace, input) };
  },
});

/** The members are in the order of the service. */
function issue({ keys }: Workspace, input: CreateKeyBody) {
  const { record, value = "" } = keys.issue(input, { version: "v2" });
  return { key: value, keyId: record.id };
}

function preconditionFailed(detail: string): ApiError {
  return new ApiError("PRECONDITION_FAILED", detail);
}

function checkCredits(credits: CreateKeyBody["credits"]): void {
  const { refill, remaining } = credits ?? {};
  if (refill === undefined) return;
  if (remaining === null) {
    throw new ApiError(
      "BAD_REQUEST",
      "`credits.remaining` must be provided when `credits.refill` is set.",
    );
  }
  checkRefillDay(refill);
}
