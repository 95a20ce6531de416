import * as f from "../../../schema/fields.ts";
import { lazily } from "../../../base/lazily.ts";
import type { Api } from "../../../state/records/apis.ts";
import type { Workspace } from "../../../state/workspace.ts";
import { about } from "../fields.ts";
import { unknownApi } from "../hints.ts";
import { type AdmittedCall, onApi, operationOfV2 } from "../operation.ts";
import { word } from "./fields.ts";
import { refusals, refuse } from "./refusals.ts";

const apiId = lazily(() => f.described(word({ min: 8, max: 255 }), "Identifier of the API."));

// The service checks the permission before it looks up the API. If a call names a key, it looks up the
// key first.

/** @throws ApiError for an API that does not exist, or belongs to another workspace */
function requireApi(call: AdmittedCall<{ readonly apiId: string }>, action: string): Api {
  const api = call.workspace.apis.get(call.input.apiId);
  if (api === undefined) throw refuse(refusals.requestedApi, unknownApi(call, action));
  return api;
}

/** Creates an API with a generated id. Skips ids that a fixture or a test has already used. */
function create(workspace: Workspace, name: string): Api {
  const { apis, clock, ids } = workspace;
  const id = ids.next("api", clock.now());
  return apis.get(id) === undefined ? apis.create({ id, name }) : create(workspace, name);
}

export const createApi = operationOfV2("apis.createApi", {
  summary: "Create an API",
  input: () => f.closedObjectOf({ name: f.described(f.text({ min: 3, max: 256 }), about.name) }),
  output: () => f.objectOf({ data: f.objectOf({ apiId: f.text() }) }),
  requires: () => [{ oneOf: ["api.*.create_api"] }],
  run: ({ input, workspace }) => ({ data: { apiId: create(workspace, input.name).id } }),
});

export const getApi = operationOfV2("apis.getApi", {
  isReadOnly: true,
  summary: "Get an API",
  input: () => f.closedObjectOf({ apiId: apiId() }),
  output: () => f.objectOf({ data: f.objectOf({ id: f.text(), name: f.text() }) }),
  requires: ({ input }) => [onApi(input.apiId, "read_api")],
  run(call) {
    const { id, name = id } = requireApi(call, "read_api");
    return { data: { id, name } };
  },
});

export const deleteApi = operationOfV2("apis.deleteApi", {
  summary: "Delete an API and its keys",
  input: () => f.closedObjectOf({ apiId: apiId() }),
  output: () => f.objectOf({ data: f.objectOf({}) }),
  requires: ({ input }) => [onApi(input.apiId, "delete_api")],
  *run(call) {
    const { keys } = call.workspace;
    const { id } = requireDeletable(call);
    yield* keys.removeInSteps(keys.page({ apiId: id }, undefined, Infinity));
    // Between two steps, another request may have changed the API or created a key.
    const api = requireDeletable(call);
    keys.removeAll(keys.page({ apiId: id }, undefined, Infinity));
    call.workspace.deleteApi(api);
    return { data: {} };
  },
});

/** @throws ApiError if the API does not exist or is protected */
function requireDeletable(call: AdmittedCall<{ readonly apiId: string }>): Api {
  const api = requireApi(call, "delete_api");
  if (!api.deleteProtection) return api;
  const hint = `${api.id} has \`deleteProtection\`, which a fixture or emulator.apis changes`;
  throw refuse(refusals.protectedApi, hint);
}
