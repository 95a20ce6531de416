import { whoami as contract } from "../../contract/v2/whoami.ts";
import { defineOperation } from "../operation.ts";
import { onApi } from "../require-api.ts";
import { keyNotFound, keyWithValue } from "../require-key.ts";
import { toKeyRecord } from "./to-key-record.ts";

const NOT_FOUND = "No key of this workspace has this value.";

export const whoami = defineOperation({
  contract,

  run({ demand, input, workspace }) {
    const key = keyWithValue(workspace, input.key);
    if (key === undefined) throw keyNotFound(NOT_FOUND);
    // Without the permission, the service answers as if there was no such key.
    demand([onApi(key.apiId, "read_key")], {
      code: "NOT_FOUND",
      message: NOT_FOUND,
      type: "unkey/data/key_not_found",
    });
    const record = toKeyRecord(workspace, key, { decrypt: false });
    return { data: { ...record, permissions: record.permissions?.toSorted() } };
  },
});
