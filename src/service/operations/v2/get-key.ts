import * as f from "../../../schema/fields.ts";
import { noEncryption } from "../hints.ts";
import { onKey, operationOfV2 } from "../operation.ts";
import { decryptFlag, keyId } from "./fields.ts";
import { keyRecord, toKeyRecord } from "./key-record.ts";
import { refusals, refuse, requireKey } from "./refusals.ts";
import { keyWithSecret } from "../keys.ts";
import { urnOf } from "../../../api/urn.ts";

export const getKey = operationOfV2("keys.getKey", {
  isReadOnly: true,
  summary: "Get a key",
  input: () =>
    f.closedObjectOf({
      keyId: keyId(),
      decrypt: decryptFlag("Return the value of a recoverable key"),
    }),
  output: () => f.objectOf({ data: keyRecord() }),

  run(call) {
    const { demand, input, workspace } = call;
    const { decrypt = false } = input;
    const key = requireKey(call);
    demand([onKey(key, "read_key")]);
    if (decrypt) {
      demand([onKey(key, "decrypt_key")]);
      const api = workspace.apis.get(key.apiId);
      if (!api?.storeEncryptedKeys) {
        throw refuse(refusals.noEncryptionOfKey, noEncryption({ id: key.apiId }));
      }
    }
    return { data: toKeyRecord(workspace, key, { decrypt }) };
  },
});

export const whoami = operationOfV2("keys.whoami", {
  isReadOnly: true,
  summary: "Get a key by its value",
  input: () =>
    f.closedObjectOf({
      key: f.described(f.text({ min: 1, max: 512 }), "The key value."),
    }),
  output: () => f.objectOf({ data: keyRecord() }),

  run({ demand, input, workspace, workspaces }) {
    const key = keyWithSecret(workspace, input.key);
    if (key === undefined) {
      const hint = "no key of this workspace has this value";
      const isElsewhere = workspaces.some((other) => keyWithSecret(other, input.key) !== undefined);
      throw isElsewhere
        ? refuse(refusals.otherKey, `${hint}; a key of another workspace has it`)
        : refuse(refusals.unknownKey, hint, { isEcho: true });
    }
    const requirement = onKey(key, "read_key");
    // Without the permission, the service answers that the key does not exist, but names the permission.
    const names = [urnOf(requirement, workspace), ...requirement.oneOf].join(" or ");
    const message = `${refusals.otherKey.message} Missing one of these permissions: ${names}`;
    demand([requirement], { ...refusals.otherKey, message });
    const record = toKeyRecord(workspace, key, { decrypt: false });
    return { data: { ...record, permissions: record.permissions?.toSorted() } };
  },
});
