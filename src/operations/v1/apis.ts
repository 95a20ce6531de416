import {
  createApi as createApiContract,
  deleteApi as deleteApiContract,
  deleteKeys as deleteKeysContract,
  getApi as getApiContract,
} from "../../contract/v1/apis.ts";
import {
  createApi as create,
  deleteApi as remove,
  deleteKeys as clear,
  findApi,
} from "../change-apis.ts";
import { defineOperation } from "../operation.ts";
import { onApi, requireApi } from "../require-api.ts";

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
    remove(workspace, input.apiId);
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
