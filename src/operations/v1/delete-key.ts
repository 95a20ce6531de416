import { ApiError } from "../../contract/errors.ts";
import { deleteKey as contract } from "../../contract/v1/delete-key.ts";
import type { Workspace } from "../../store/workspace.ts";
import { defineOperation } from "../operation.ts";
import { onApi } from "../require-api.ts";
import { requireKey } from "./require-key.ts";

export const deleteKey = defineOperation({
  contract,

  run({ demand, input: { keyId }, workspace, workspaces }) {
    const hasKey = ({ apis, keys }: Workspace) => {
      const key = keys.get(keyId);
      return key !== undefined && apis.get(key.apiId) !== undefined;
    };
    // In fixtures, keys of two workspaces may have the same id.
    if (!hasKey(workspace) && workspaces.some(hasKey)) {
      const message = "keyId: the key belongs to another workspace";
      throw new ApiError("UNAUTHORIZED", message, { status: 403 });
    }
    const key = requireKey(workspace, keyId);
    demand([onApi(key.apiId, "delete_key")]);
    workspace.keys.remove(key);
    return {};
  },
});
