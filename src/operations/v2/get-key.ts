import { ApiError } from "../../contract/errors.ts";
import { getKey as contract } from "../../contract/v2/get-key.ts";
import { defineOperation } from "../operation.ts";
import { onApi } from "../require-api.ts";
import { requireKey } from "../require-key.ts";
import { toKeyRecord } from "./to-key-record.ts";

export const getKey = defineOperation({
  contract,

  run({ demand, input, workspace }) {
    const { decrypt = false, keyId } = input;
    const key = requireKey(workspace, keyId);
    demand([onApi(key.apiId, "read_key")]);
    if (decrypt) {
      demand([onApi(key.apiId, "decrypt_key")]);
      if (!workspace.apis.get(key.apiId)?.storeEncryptedKeys) {
        const detail = `The API ${key.apiId} of this key does not support key encryption.`;
        throw new ApiError("PRECONDITION_FAILED", detail);
      }
    }
    return { data: toKeyRecord(workspace, key, { decrypt }) };
  },
});
