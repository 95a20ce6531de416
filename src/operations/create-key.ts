import { createKey as contract, type CreateKeyBody } from "../contract/create-key.ts";
import { ApiError } from "../contract/errors.ts";
import { dottedPath, problemText } from "../contract/problems.ts";
import { refillProblems } from "../contract/refill-rules.ts";
import type { Api } from "../store/records.ts";
import type { Workspace } from "../store/workspace.ts";
import { defineOperation, type Requirement } from "./operation.ts";
import { onApi, requireApi } from "./require-api.ts";

export const createKey = defineOperation({
  contract,

  requires({ workspace, input }) {
    const requirements = [onApi(input.apiId, "create_key")];
    if (input.recoverable) requirements.push(onApi(input.apiId, "encrypt_key"));
    return [...requirements, ...creates(workspace, input)];
  },

  async run({ workspace, input }) {
    checkRules(input, requireApi(workspace, input.apiId));
    const { record, value = "" } = await workspace.keys.issue(input);
    return { keyId: record.id, key: value };
  },
});

/** A role or permission that no one has named before is created with the key. */
function creates(workspace: Workspace, { roles, permissions }: CreateKeyBody): Requirement[] {
  const requirements: Requirement[] = [];
  if (workspace.permissions.missing(permissions).length > 0) {
    requirements.push(["rbac.*.create_permission"]);
  }
  if (workspace.roles.missing(roles).length > 0) requirements.push(["rbac.*.create_role"]);
  return requirements;
}

function checkRules(input: CreateKeyBody, api: Api): void {
  const problems = refillProblems(input);
  if (problems.length > 0) {
    const lines = problems.map((problem) => `${dottedPath(problem.path)}: ${problemText(problem)}`);
    throw new ApiError("BAD_REQUEST", lines.join("; "));
  }
  if (input.recoverable && !api.storeEncryptedKeys) {
    throw new ApiError(
      "PRECONDITION_FAILED",
      "recoverable: the API does not store encrypted keys, so their values cannot be recovered",
    );
  }
}
