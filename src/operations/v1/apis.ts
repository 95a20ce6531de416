import {
  createApi as createApiContract,
  deleteApi as deleteApiContract,
  deleteKeys as deleteKeysContract,
  getApi as getApiContract,
} from "../../contract/v1/apis.ts";
import { ApiError } from "../../contract/errors.ts";
import type { Api } from "../../store/records.ts";
import type { Workspace } from "../../store/workspace.ts";
import { createApi as create, deleteApi as remove, deleteKeys as clear } from "../change-apis.ts";
import { defineOperation } from "../operation.ts";
import { quoteId } from "../quote-id.ts";
import { onApi, requireApi } from "../require-api.ts";

/** @throws ApiError for an API that does not exist, or belongs to another workspace */
function findApi({ apis }: Workspace, apiId: string): Api {
  const api = apis.get(apiId);
  if (api !== undefined) return api;
  throw new ApiError("NOT_FOUND", `The API ${quoteId(apiId)} does not exist or has been deleted.`);
}

export const createApi = defineOperation({
  contract: createApiContract,
  requires: () => [{ oneOf: ["api.*.create_api"] }],
  run({ input, workspace }) {
    const { id, name = "" } = create(workspace, input.name);
    return { apiId: id, name };
  },
});

export const getApi = defineOperation({
  contract: getApiContract,
  requires: ({ input }) => [onApi(input.apiId, "read_api")],
  run({ input, workspace }) {
    const { id, name = id } = findApi(workspace, input.apiId);
    return { id, workspaceId: workspace.id, name };
  },
});

export const deleteApi = defineOperation({
  contract: deleteApiContract,
  requires: ({ input }) => [onApi(input.apiId, "delete_api")],
  run({ input, workspace }) {
    const api = findApi(workspace, input.apiId);
    if (api.deleteProtection) {
      const message = `The API ${api.id} has delete protection enabled. Disable it before deleting the API.`;
      throw new ApiError("DELETE_PROTECTED", message);
    }
    remove(workspace, api);
    return {};
  },
});

export const deleteKeys = defineOperation({
  contract: deleteKeysContract,
  requires: ({ input }) => [onApi(input.apiId, "delete_key")],
  run: ({ input, workspace }) => ({
    deletedKeys: clear(workspace, requireApi(workspace, input.apiId).id),
  }),
});
