import { deleteKey as contract } from "../../contract/v2/delete-key.ts";
import { defineOperation } from "../operation.ts";
import { onApi } from "../require-api.ts";
import { requireKey } from "./require-key.ts";

export const deleteKey = defineOperation({
  contract,

  run(call) {
    const { demand, workspace } = call;
    const key = requireKey(call);
    demand([onApi(key.apiId, "delete_key")]);
    workspace.keys.remove(key);
    return { data: {} };
  },
});
