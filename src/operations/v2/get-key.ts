import { getKey as contract } from "../../contract/v2/get-key.ts";
import { noEncryption } from "../hints.ts";
import { defineOperation } from "../operation.ts";
import { onApi } from "../require-api.ts";
import { refusals, refuse } from "./refusals.ts";
import { requireKey } from "./require-key.ts";
import { toKeyRecord } from "./to-key-record.ts";

export const getKey = defineOperation({
  contract,

  run(call) {
    const { demand, input, workspace } = call;
    const { decrypt = false } = input;
    const key = requireKey(call);
    demand([onApi(key.apiId, "read_key")]);
    if (decrypt) {
      demand([onApi(key.apiId, "decrypt_key")]);
      const api = workspace.apis.get(key.apiId);
      if (!api?.storeEncryptedKeys) {
        throw refuse(refusals.noEncryptionOfKey, noEncryption({ id: key.apiId }));
      }
    }
    return { data: toKeyRecord(workspace, key, { decrypt }) };
  },
});
