import { closedObjectOf, docs, objectOf, text } from "../../schema/fields.ts";
import { operationOfV2 } from "../operation.ts";
import { keyWithSecret } from "../keys.ts";
import { onApi } from "../requirements.ts";
import { keyRecord, toKeyRecord } from "./key-record.ts";
import { refusals, refuse } from "./refusals.ts";

export const whoami = operationOfV2({
  name: "keys.whoami",
  isReadOnly: true,
  summary: "Get a key by its value",
  input: () =>
    closedObjectOf({
      key: text({ min: 1, max: 512 }).register(docs, { description: "The key value." }),
    }),
  output: () => objectOf({ data: keyRecord() }),

  run({ demand, input, workspace, workspaces }) {
    const key = keyWithSecret(workspace, input.key);
    if (key === undefined) {
      const hint = "no key of this workspace has this value";
      const isElsewhere = workspaces.some((other) => keyWithSecret(other, input.key) !== undefined);
      throw isElsewhere
        ? refuse(refusals.otherKey, `${hint}; a key of another workspace has it`)
        : refuse(refusals.unknownKey, hint);
    }
    const requirement = onApi(key.apiId, "read_key");
    // Without the permission, the service says that there is no such key, but names the permission.
    const message = `${refusals.otherKey.message} Missing one of these permissions: ${requirement.oneOf.join(" or ")}`;
    demand([requirement], { ...refusals.otherKey, message });
    const record = toKeyRecord(workspace, key, { decrypt: false });
    return { data: { ...record, permissions: record.permissions?.toSorted() } };
  },
});
