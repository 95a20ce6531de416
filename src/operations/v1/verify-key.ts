import { ApiError } from "../../contract/errors.ts";
import { toHeaderText } from "../../contract/headers.ts";
import { readPermissionObject } from "../../contract/permission-query.ts";
import {
  verifyKey as contract,
  type VerifyKeyBody,
  type VerifyKeyResult,
} from "../../contract/v1/verify-key.ts";
import { shorten } from "../../base/wording/shorten.ts";
import { DEFAULT_RATELIMIT } from "../../store/limits/ratelimits.ts";
import type { Key } from "../../store/key.ts";
import type { Identity } from "../../store/records.ts";
import type { Workspace } from "../../store/workspace.ts";
import { permissionsOf, rolesOf } from "../granted.ts";
import { defineOperation } from "../operation.ts";
import { quoteId } from "../quote-id.ts";
import { keyWithValue } from "../require-key.ts";
import { shownUses, verify, type Demands, type Verdict } from "../verification.ts";

export const verifyKey = defineOperation({
  contract,

  /** The key may belong to any workspace, because the call needs no token that would select one. */
  run({ input, requestId, setHeader, workspaces }): VerifyKeyResult {
    for (const workspace of workspaces) {
      const key = keyWithValue(workspace, input.key);
      if (key === undefined) continue;
      if (!workspace.enabled) {
        throw new ApiError("FORBIDDEN", "key: the workspace of the key is disabled");
      }
      const verdict = verify(workspace, key, demandsOf(input, key));
      const exceeded = verdict.limits?.find((limit) => limit.exceeded);
      if (exceeded !== undefined)
        setHeader("Unkey-Ratelimit-Triggered", toHeaderText(exceeded.name));
      return toResult(workspace, key, verdict, requestId);
    }
    return { valid: false, code: "NOT_FOUND", requestId };
  },
});

function demandsOf(
  { apiId, authorization, ratelimits = [], remaining }: VerifyKeyBody,
  key: Key,
): Demands {
  return {
    apiId: apiId || undefined,
    cost: remaining?.cost ?? 1,
    limits: ratelimits,
    unknownLimit: (name, identity) =>
      new ApiError("BAD_REQUEST", unknownLimitMessage(name, key, identity)),
    query() {
      const query = readPermissionObject(authorization?.permissions);
      if (query !== "invalid") return query;
      const expected = 'expected a name, {"and": [...]} or {"or": [...]} of these';
      throw new ApiError("BAD_REQUEST", `authorization.permissions: ${expected}`);
    },
  };
}

function unknownLimitMessage(name: string, key: Key, identity: Identity | undefined): string {
  const owner =
    identity === undefined
      ? "and it has no identity"
      : `nor its identity ${JSON.stringify(shorten(identity.externalId, 100))}`;
  const limit = quoteId(name);
  return `The key ${key.id} has no rate limit ${limit}, ${owner}. Send \`limit\` and \`duration\` for a limit of this call only.`;
}

/** The members are in the order of the service. */
function toResult(
  workspace: Workspace,
  key: Key,
  { code, limits, remaining }: Verdict,
  requestId: string,
): VerifyKeyResult {
  const identity = workspace.identities.get(key.identityId);
  return {
    keyId: key.id,
    valid: code === "VALID",
    name: key.name || undefined,
    ownerId: identity?.externalId ?? key.ownerId,
    meta: key.meta,
    expires: key.expires || undefined,
    remaining: shownUses(remaining),
    ratelimit: limits && toRatelimit(limits),
    enabled: key.enabled,
    permissions: permissionsOf(workspace, key),
    roles: rolesOf(workspace, key),
    environment: key.environment || undefined,
    code,
    identity: identity && {
      id: identity.id,
      externalId: identity.externalId,
      meta: identity.meta,
    },
    requestId,
  };
}

/** The limit that refused, else the first. `limit` is always that of the one called `default`. */
function toRatelimit(limits: NonNullable<Verdict["limits"]>): VerifyKeyResult["ratelimit"] {
  const shown = limits.find(({ exceeded }) => exceeded) ?? limits[0];
  if (shown === undefined) return undefined;
  const { limit } = limits.find(({ name }) => name === DEFAULT_RATELIMIT) ?? {};
  const { remaining, reset } = shown;
  return { remaining, limit, reset };
}
