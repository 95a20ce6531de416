import { ApiError } from "../../contract/errors.ts";
import { parsePermissionQuery } from "../../contract/permission-query.ts";
import {
  verifyKey as contract,
  type VerifyKeyBody,
  type VerifyKeyData,
} from "../../contract/v2/verify-key.ts";
import type { Key } from "../../store/records.ts";
import type { Workspace } from "../../store/workspace.ts";
import { permissionsOf, rolesOf } from "../granted.ts";
import { defineOperation } from "../operation.ts";
import { onApi } from "../require-api.ts";
import { keyWithValue } from "../require-key.ts";
import { shownUses, verify, type Demands, type Verdict } from "../verification.ts";
import { toIdentity, unlessEmpty, unlessNone } from "./to-key-record.ts";

export const verifyKey = defineOperation({
  contract,

  run({ input, may, workspace }): { data: VerifyKeyData } {
    const key = keyWithValue(workspace, input.key);
    // A key that the token may not verify is answered like one that does not exist.
    if (key === undefined || !may([onApi(key.apiId, "verify_key")])) {
      return { data: { code: "NOT_FOUND", valid: false } };
    }
    const demands = demandsOf(input);
    return { data: toData(workspace, key, verify(workspace, key, demands)) };
  },
});

/** @throws ApiError for permissions that do not parse, which the service checks before the key */
function demandsOf({ credits, permissions, ratelimits = [] }: VerifyKeyBody): Demands {
  const query = permissions === undefined ? undefined : parsePermissionQuery(permissions);
  if (query !== undefined && "problem" in query) {
    throw new ApiError("BAD_REQUEST", query.problem, {
      type: "user/bad_request/permissions_query_syntax_error",
    });
  }
  return {
    cost: credits?.cost ?? 1,
    limits: ratelimits,
    unknownLimit: "PRECONDITION_FAILED",
    query: () => query,
  };
}

/** The members are in the order of the service. */
function toData(workspace: Workspace, key: Key, verdict: Verdict): VerifyKeyData {
  const { code, limits, remaining = key.remaining } = verdict;
  const identity =
    key.identityId === undefined ? undefined : workspace.identities.get(key.identityId);
  const isHidden = (name: string) => key.ratelimits.some((ratelimit) => ratelimit.name === name);
  return {
    code,
    credits: shownUses(remaining),
    enabled: key.enabled,
    expires: key.expires || undefined,
    // A limit of the key hides one of its identity with the same name.
    identity: identity && toIdentity(identity, ({ name }) => !isHidden(name)),
    keyId: key.id,
    meta: unlessEmpty(key.meta),
    name: key.name || undefined,
    permissions: unlessNone(permissionsOf(workspace, key)),
    ratelimits: unlessNone(
      (limits ?? []).map(
        ({ autoApply, duration, exceeded, id, limit, name, remaining: left, reset }) => ({
          autoApply,
          duration,
          exceeded,
          id,
          limit,
          name,
          remaining: left,
          reset,
        }),
      ),
    ),
    roles: unlessNone(rolesOf(workspace, key)),
    valid: code === "VALID",
  };
}
