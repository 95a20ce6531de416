import { closedObjectOf, objectOf } from "../../schema/fields.ts";
import { noEncryption } from "../hints.ts";
import { operationOfV2 } from "../operation.ts";
import { onApi } from "../requirements.ts";
import { decryptFlag, keyId } from "./fields.ts";
import { keyRecord, toKeyRecord } from "./key-record.ts";
import { refusals, refuse } from "./refusals.ts";
import { requireKey } from "./require-key.ts";

export const getKey = operationOfV2({
  name: "keys.getKey",
  isReadOnly: true,
  summary: "Get a key",
  input: () =>
    closedObjectOf({
      keyId: keyId(),
      decrypt: decryptFlag("Return the value of a recoverable key"),
    }),
  output: () => objectOf({ data: keyRecord() }),

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
