import {
  createKey as contract,
  type CreateKeyBody,
  type CreateKeyResult,
} from "../../contract/v1/create-key.ts";
import { ApiError } from "../../contract/errors.ts";
import { wireMessage } from "../../schema/problems.ts";
import { remainingProblems } from "../../contract/v1/refill-rules.ts";
import { shorten } from "../../base/wording/shorten.ts";
import type { IssuedKey } from "../../store/key-set.ts";
import type { Api } from "../../store/records.ts";
import { refillProblems } from "../../store/vocabulary.ts";
import type { Workspace } from "../../store/workspace.ts";
import { defineOperation, type Requirement } from "../operation.ts";
import { onApi, requireApi } from "../require-api.ts";

export const createKey = defineOperation({
  contract,

  requires: ({ input }) => [onApi(input.apiId, "create_key")],

  /** Checks in the order of the service: the API, rules for the body, then more permissions. */
  run({ demand, input, workspace }) {
    const { apiId, permissions, recoverable, roles } = input;
    const api = requireApi(workspace, apiId);
    if (recoverable) requireEncryption(api);
    checkUses(input);
    if (permissions !== undefined || roles !== undefined)
      demand(creationRequirements(workspace, input));
    if (recoverable) demand([onApi(apiId, "encrypt_key")]);
    return toResult(workspace.keys.issue(input));
  },
});

function toResult({ record, value = "" }: IssuedKey): CreateKeyResult {
  return { keyId: record.id, key: value };
}

/** The permissions to create those roles and permissions of the key that do not exist yet. */
function creationRequirements(
  workspace: Workspace,
  { roles, permissions }: CreateKeyBody,
): Requirement[] {
  return [
    ...requirementToCreate("permission", workspace.permissions.missing(permissions)),
    ...requirementToCreate("role", workspace.roles.missing(roles)),
  ];
}

function requirementToCreate(
  noun: "permission" | "role",
  [name]: readonly string[],
): Requirement[] {
  if (name === undefined) return [];
  const because = `the ${noun} ${JSON.stringify(shorten(name, 60))} does not exist yet`;
  return [{ oneOf: [`rbac.*.create_${noun}`], because }];
}

function requireEncryption({ storeEncryptedKeys }: Api): void {
  if (storeEncryptedKeys) return;
  throw new ApiError(
    "PRECONDITION_FAILED",
    "recoverable: the API does not store encrypted keys, so their values cannot be recovered",
  );
}

function checkUses(input: CreateKeyBody): void {
  const problems = [...remainingProblems(input), ...refillProblems(input)];
  if (problems.length > 0) throw new ApiError("BAD_REQUEST", wireMessage(problems));
}
