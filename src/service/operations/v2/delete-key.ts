import * as f from "../../../schema/fields.ts";
import { permanent } from "../fields.ts";
import { onKey, operationOfV2 } from "../operation.ts";
import { keyId } from "./fields.ts";
import { requireKey } from "./refusals.ts";

export const deleteKey = operationOfV2("keys.deleteKey", {
  summary: "Delete a key",
  description: "Deletes a key: from now on, every operation answers as if it had never existed.",
  input: () => f.closedObjectOf({ keyId: keyId(), permanent: permanent() }),
  output: () => f.objectOf({ data: f.objectOf({}) }),

  run(call) {
    const { demand, workspace } = call;
    const key = requireKey(call);
    demand([onKey(key, "delete_key")]);
    workspace.keys.remove(key);
    return { data: {} };
  },
});
