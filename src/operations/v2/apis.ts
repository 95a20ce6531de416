import {
  createApi as createApiContract,
  deleteApi as deleteApiContract,
  getApi as getApiContract,
} from "../../contract/v2/apis.ts";
import type { Api } from "../../store/records.ts";
import { createApi as create, deleteApi as remove } from "../change-apis.ts";
import { unknownApi } from "../hints.ts";
import { defineOperation, type AdmittedCall } from "../operation.ts";
import { onApi } from "../require-api.ts";
import { refusals, refuse } from "./refusals.ts";

// Unlike for keys, the service checks the permission before it looks the API up.

/** @throws ApiError for an API that does not exist, or belongs to another workspace */
function requireApi(call: AdmittedCall<{ readonly apiId: string }>, action: string): Api {
  const api = call.workspace.apis.get(call.input.apiId);
  if (api === undefined) throw refuse(refusals.requestedApi, unknownApi(call, action));
  return api;
}

export const createApi = defineOperation({
  contract: createApiContract,
  requires: () => [{ oneOf: ["api.*.create_api"] }],
  run: ({ input, workspace }) => ({ data: { apiId: create(workspace, input.name).id } }),
});

export const getApi = defineOperation({
  contract: getApiContract,
  requires: ({ input }) => [onApi(input.apiId, "read_api")],
  run(call) {
    const { id, name = id } = requireApi(call, "read_api");
    return { data: { id, name } };
  },
});

export const deleteApi = defineOperation({
  contract: deleteApiContract,
  requires: ({ input }) => [onApi(input.apiId, "delete_api")],
  run(call) {
    const api = requireApi(call, "delete_api");
    if (api.deleteProtection) {
      const hint = `${api.id} has \`deleteProtection\`, which a fixture or emulator.apis changes`;
      throw refuse(refusals.protectedApi, hint);
    }
    remove(call.workspace, api);
    return { data: {} };
  },
});
