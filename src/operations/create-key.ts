import {
  createKey as contract,
  type CreateKeyBody,
  type CreateKeyResult,
} from "../contract/create-key.ts";
import { ApiError } from "../contract/errors.ts";
import { wireMessage } from "../contract/problems.ts";
import { refillProblems } from "../contract/refill-rules.ts";
import { shorten } from "../contract/shorten.ts";
import type { IssuedKey } from "../store/key-collection.ts";
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

  run({ workspace, input }) {
    checkRules(input, requireApi(workspace, input.apiId));
    const issued = workspace.keys.issue(input);
    return issued instanceof Promise ? issued.then(toResult) : toResult(issued);
  },
});

function toResult({ record, value = "" }: IssuedKey): CreateKeyResult {
  return { keyId: record.id, key: value };
}

/** A role or permission that no one has named before is created with the key. */
function creates(workspace: Workspace, { roles, permissions }: CreateKeyBody): Requirement[] {
  return [
    ...mayCreate("permission", workspace.permissions.missing(permissions)),
    ...mayCreate("role", workspace.roles.missing(roles)),
  ];
}

function mayCreate(noun: "permission" | "role", [name]: readonly string[]): Requirement[] {
  if (name === undefined) return [];
  const because = `the ${noun} ${JSON.stringify(shorten(name, 60))} does not exist yet`;
  return [{ oneOf: [`rbac.*.create_${noun}`], because }];
}

function checkRules(input: CreateKeyBody, api: Api): void {
  const problems = refillProblems(input);
  if (problems.length > 0) throw new ApiError("BAD_REQUEST", wireMessage(problems));
  if (input.recoverable && !api.storeEncryptedKeys) {
    throw new ApiError(
      "PRECONDITION_FAILED",
      "recoverable: the API does not store encrypted keys, so their values cannot be recovered",
    );
  }
}
