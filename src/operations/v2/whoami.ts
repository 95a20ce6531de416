import { whoami as contract } from "../../contract/v2/whoami.ts";
import { defineOperation } from "../operation.ts";
import { onApi } from "../require-api.ts";
import { refusals } from "./refusals.ts";
import { requireKeyWithValue } from "./require-key.ts";
import { toKeyRecord } from "./to-key-record.ts";

export const whoami = defineOperation({
  contract,

  run(call) {
    const key = requireKeyWithValue(call);
    const requirement = onApi(key.apiId, "read_key");
    // Without the permission, the service answers as if there was no such key, and names it anyway.
    const message = `${refusals.otherKey.message} Missing one of these permissions: ${requirement.oneOf.join(" or ")}`;
    call.demand([requirement], { ...refusals.otherKey, message });
    const record = toKeyRecord(call.workspace, key, { decrypt: false });
    return { data: { ...record, permissions: record.permissions?.toSorted() } };
  },
});
