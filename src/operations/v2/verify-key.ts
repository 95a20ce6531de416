import { parsePermissionQuery } from "../../contract/permission-query.ts";
import {
  verifyKey as contract,
  type VerifyKeyBody,
  type VerifyKeyData,
} from "../../contract/v2/verify-key.ts";
import type { Key } from "../../store/key.ts";
import type { Identity } from "../../store/records.ts";
import type { Workspace } from "../../store/workspace.ts";
import { permissionsOf, rolesOf } from "../granted.ts";
import { defineOperation, type AdmittedCall } from "../operation.ts";
import { onApi } from "../require-api.ts";
import { keyWithValue } from "../require-key.ts";
import { shownUses, verify, type Demands, type Verdict } from "../verification.ts";
import { refusals, refuse } from "./refusals.ts";
import { toIdentity, unlessEmpty, unlessNone } from "./to-key-record.ts";

export const verifyKey = defineOperation({
  contract,

  run(call): { data: VerifyKeyData } {
    const { input, may, workspace } = call;
    const key = keyWithValue(workspace, input.key);
    // A key that the token may not verify is answered like one that does not exist.
    if (key === undefined || !may([onApi(key.apiId, "verify_key")])) return { data: notFound() };
    const demands = demandsOf(call, key);
    // Undefined if the keyspace was switched off after the key was created.
    const keyspaceId = workspace.apis.get(key.apiId)?.keyspaceId;
    // Before all other checks, so that nothing is told about the key, and nothing is spent.
    if (input.keyspaces?.every((id) => id !== keyspaceId)) return { data: notFound() };
    return { data: toData(workspace, key, keyspaceId, verify(workspace, key, demands)) };
  },
});

function notFound(): VerifyKeyData {
  return { code: "NOT_FOUND", valid: false };
}

/** @throws ApiError for permissions that do not parse, which the service checks before the key */
function demandsOf({ input, may }: AdmittedCall<VerifyKeyBody>, key: Key): Demands {
  const { credits, permissions, ratelimits = [] } = input;
  const query = permissions === undefined ? undefined : parsePermissionQuery(permissions);
  if (query !== undefined && "problem" in query) {
    throw refuse(refusals.permissionQuery(query.problem), query.problem ? undefined : NO_TEXT);
  }
  return {
    cost: credits?.cost ?? 1,
    limits: ratelimits,
    unknownLimit(name, identity) {
      // A token that may verify the key, but not read it, must not learn which limits it has.
      const known = may([onApi(key.apiId, "read_key")]) ? `${describeLimits(key, identity)}; ` : "";
      const hint = `${known}send \`limit\` and \`duration\` for a limit of this call only`;
      return refuse(refusals.unknownRatelimit(name, key.id, identity), hint);
    },
    query: () => query,
  };
}

/** The service loses its text about a character that cannot stand where a permission begins. */
const NO_TEXT =
  "permissions: expected a permission or an opening parenthesis, got a character that is neither";

function describeLimits({ ratelimits }: Key, identity: Identity | undefined): string {
  const all = [...ratelimits, ...(identity?.ratelimits ?? [])];
  const names = [...new Set(all.map(({ name }) => name))];
  return names.length === 0 ? "it has no rate limits" : `its rate limits are ${names.join(", ")}`;
}

/** The members are in the order of the service. */
function toData(
  workspace: Workspace,
  key: Key,
  keyspaceId: string | undefined,
  verdict: Verdict,
): VerifyKeyData {
  const { code, limits, remaining = key.remaining } = verdict;
  const identity = workspace.identities.get(key.identityId);
  const isHidden = (name: string) => key.ratelimits.some((ratelimit) => ratelimit.name === name);
  return {
    code,
    credits: shownUses(remaining),
    enabled: key.enabled,
    expires: key.expires || undefined,
    // A limit of the key hides one of its identity with the same name.
    identity: identity && toIdentity(identity, ({ name }) => !isHidden(name)),
    keyId: key.id,
    keyspaceId,
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
