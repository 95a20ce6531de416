import { createKey as contract, type CreateKeyBody } from "../../contract/v2/create-key.ts";
import type { Workspace } from "../../store/workspace.ts";
import { noEncryption, noKeyspace, unknownApi } from "../hints.ts";
import { defineOperation } from "../operation.ts";
import { onApi } from "../require-api.ts";
import { checkRefillDay } from "./check-refill-day.ts";
import { refusals, refuse } from "./refusals.ts";
import { requireRoles } from "./require-roles.ts";

export const createKey = defineOperation({
  contract,

  /** Checks in the order of the service; nothing is written before the last check. */
  run(call) {
    const { demand, input, workspace } = call;
    const { apiId, credits, recoverable, roles } = input;
    const api = workspace.apis.get(apiId);
    // Without the permissions, the service answers as if there was no such API. They are demanded for
    // an unknown API too: its hint must not differ from that of an existing one.
    demand([onApi(apiId, "create_key")], refusals.specifiedApi);
    if (api?.keyspace === false) throw refuse(refusals.noKeyspace, noKeyspace(api));
    if (recoverable) demand([onApi(apiId, "encrypt_key")], refusals.specifiedApi);
    if (api === undefined) throw refuse(refusals.specifiedApi, unknownApi(call, "create_key"));
    if (recoverable && !api.storeEncryptedKeys) {
      throw refuse(refusals.noEncryption, noEncryption(api));
    }
    checkCredits(credits);
    requireRoles(call, roles);
    return { data: issue(workspace, input) };
  },
});

/** The members are in the order of the service. */
function issue({ keys }: Workspace, input: CreateKeyBody) {
  const { record, value = "" } = keys.issue(input, { version: "v2" });
  return { key: value, keyId: record.id };
}

function checkCredits(credits: CreateKeyBody["credits"]): void {
  const { refill, remaining } = credits ?? {};
  if (refill === undefined) return;
  if (remaining === null) throw refuse(refusals.noRemaining);
  checkRefillDay(refill);
}
