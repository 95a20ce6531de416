import {
  createApi as createApiContract,
  deleteApi as deleteApiContract,
  getApi as getApiContract,
} from "../../contract/v2/apis.ts";
import { createApi as create, deleteApi as remove, findApi } from "../change-apis.ts";
import { defineOperation } from "../operation.ts";
import { onApi } from "../require-api.ts";

// Unlike for keys, the service checks the permission before it looks the API up.

export const createApi = defineOperation({
  contract: createApiContract,
  requires: () => [{ oneOf: ["api.*.create_api"] }],
  run: ({ input, workspace }) => ({ data: { apiId: create(workspace, input.name).id } }),
});

export const getApi = defineOperation({
  contract: getApiContract,
  requires: ({ input }) => [onApi(input.apiId, "read_api")],
  run({ input, workspace }) {
    const { id, name = id } = findApi(workspace, input.apiId);
    return { data: { id, name } };
  },
});

export const deleteApi = defineOperation({
  contract: deleteApiContract,
  requires: ({ input }) => [onApi(input.apiId, "delete_api")],
  run({ input, workspace }) {
    remove(workspace, input.apiId);
    return { data: {} };
  },
});
