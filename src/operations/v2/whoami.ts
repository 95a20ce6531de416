import { closedObjectOf, docs, objectOf, text } from "../../schema/fields.ts";
import { about } from "../fields.ts";
import { operationOfV2 } from "../operation.ts";
import { onApi } from "../requirements.ts";
import { keyRecord, toKeyRecord } from "./key-record.ts";
import { refusals } from "./refusals.ts";
import { requireKeyWithValue } from "./require-key.ts";

export const whoami = operationOfV2({
  name: "keys.whoami",
  isReadOnly: true,
  summary: "Get a key by its value",
  input: () => closedObjectOf({ key: text({ min: 1, max: 512 }).register(docs, about.keyValue) }),
  output: () => objectOf({ data: keyRecord() }),

  run(call) {
    const key = requireKeyWithValue(call);
    const requirement = onApi(key.apiId, "read_key");
    // Without the permission, the service says that there is no such key, but names the permission.
    const message = `${refusals.otherKey.message} Missing one of these permissions: ${requirement.oneOf.join(" or ")}`;
    call.demand([requirement], { ...refusals.otherKey, message });
    const record = toKeyRecord(call.workspace, key, { decrypt: false });
    return { data: { ...record, permissions: record.permissions?.toSorted() } };
  },
});
