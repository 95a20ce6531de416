import { quoteId } from "../hints.ts";
import { ApiError } from "../../contract/errors.ts";
import { docs, integer, objectOf, text } from "../../schema/fields.ts";
import { lazily } from "../../base/lazily.ts";
import type { Api } from "../../store/records.ts";
import type { Workspace } from "../../store/workspace.ts";
import { createApi as create, deleteApi as remove, deleteKeys as clear } from "../change-apis.ts";
import { about, permanent } from "../fields.ts";
import { operationOfV1 } from "../operation.ts";
import { onApi } from "../requirements.ts";
import { requireApi } from "./require-api.ts";

const apiId = lazily(() => text({ min: 1 }).register(docs, about.apiId));
const name = lazily(() => text().register(docs, about.name));

/** @throws ApiError for an API that does not exist, or belongs to another workspace */
function findApi({ apis }: Workspace, id: string): Api {
  const api = apis.get(id);
  if (api !== undefined) return api;
  throw new ApiError("NOT_FOUND", `The API ${quoteId(id)} does not exist or has been deleted.`);
}

export const createApi = operationOfV1({
  name: "apis.createApi",
  summary: "Create an API",
  input: () => objectOf({ name: text({ min: 3, max: 256 }).register(docs, about.name) }),
  output: () => objectOf({ apiId: apiId(), name: name() }),
  requires: () => [{ oneOf: ["api.*.create_api"] }],
  run({ input, workspace }) {
    const api = create(workspace, input.name);
    return { apiId: api.id, name: api.name ?? "" };
  },
});

export const getApi = operationOfV1({
  name: "apis.getApi",
  method: "GET",
  summary: "Get an API",
  input: () => objectOf({ apiId: apiId() }),
  output: () => objectOf({ id: text(), workspaceId: text(), name: name() }),
  requires: ({ input }) => [onApi(input.apiId, "read_api")],
  run({ input, workspace }) {
    const api = findApi(workspace, input.apiId);
    return { id: api.id, workspaceId: workspace.id, name: api.name ?? api.id };
  },
});

export const deleteApi = operationOfV1({
  name: "apis.deleteApi",
  summary: "Delete an API and its keys",
  input: () => objectOf({ apiId: apiId() }),
  output: () => objectOf({}),
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

export const deleteKeys = operationOfV1({
  name: "apis.deleteKeys",
  summary: "Delete all keys of an API",
  input: () => objectOf({ apiId: apiId(), permanent: permanent() }),
  output: () =>
    objectOf({
      deletedKeys: integer({ min: 0 }).register(docs, { description: "How many keys there were." }),
    }),
  requires: ({ input }) => [onApi(input.apiId, "delete_key")],
  run: ({ input, workspace }) => ({
    deletedKeys: clear(workspace, requireApi(workspace, input.apiId).id),
  }),
});
