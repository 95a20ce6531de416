import * as z from "zod/mini";
import { ApiError, badRequest, toHeaderText } from "../../../api/errors.ts";
import { readPermissionObject } from "../../../api/permission-query.ts";
import * as f from "../../../schema/fields.ts";
import { lazily } from "../../../base/lazily.ts";
import { meta as anyMeta } from "../../../schema/meta.ts";
import { quoted } from "../../../base/wording/text.ts";
import { DEFAULT_RATELIMIT } from "../../../state/limits/ratelimits.ts";
import type { Key } from "../../../state/keys/key.ts";
import type { Identity } from "../../../state/records/identities.ts";
import { timestamp } from "../../../state/vocabulary.ts";
import type { Workspace } from "../../../state/workspace.ts";
import { about } from "../fields.ts";
import { keyWithSecret, permissionsOf } from "../keys.ts";
import { operationOfV1 } from "../operation.ts";
import * as verification from "../verification.ts";
import { toIdentity } from "./key-record.ts";

const verifyKeyBody = lazily(() =>
  f.described(
    f.objectOf({
      key: f.described(f.text({ min: 1 }), verification.aboutVerification.key),
      apiId: f.optional(f.text(), "Refuses keys of other APIs with `FORBIDDEN`. Empty: not given."),
      tags: z.optional(
        f.described(f.listOf(f.text({ min: 1, max: 128 }), "tags", { max: 10 }), about.ignored),
      ),
      authorization: z.optional(
        f.objectOf({
          permissions: f.optional(
            z.unknown(),
            'A permission name, `{ "and": [...] }` or `{ "or": [...] }` of these, nested at will.',
          ),
        }),
      ),
      remaining: z.optional(
        f.objectOf({
          cost: f.optional(
            f.integer({ min: 0 }),
            "How many uses to take. 0 takes none. Default: 1.",
          ),
        }),
      ),
      ratelimit: z.optional(
        f.objectOf({ cost: z.optional(f.described(f.integer({ min: 0 }), about.ignored)) }),
      ),
      ratelimits: verification.namedLimits({
        name: { min: 1 },
        minDuration: 1,
        cost: "How many uses the verification counts as. Default: 1.",
      }),
    }),
    verification.aboutVerification.body,
  ),
);
type VerifyKeyBody = z.output<ReturnType<typeof verifyKeyBody>>;

/** The order of the members is the order on the wire. */
const verifyKeyResult = lazily(() => {
  const { code, enabled, expires, keyId, meta, name, permissions, roles, valid } =
    verification.outcomeMembers();
  return f.described(
    f.objectOf({
      keyId,
      valid,
      name,
      ownerId: z.optional(f.text()),
      meta,
      expires,
      remaining: f.optional(
        f.integer({ min: 0 }),
        "Uses left after this one; only if the check of uses was reached.",
      ),
      ratelimit: f.optional(
        f.objectOf({
          remaining: f.integer({ min: 0 }),
          limit: z.optional(f.integer({ min: 0 })),
          reset: timestamp("When the window ends."),
        }),
        "The rate limit that refused, else the first one that was checked.",
      ),
      enabled,
      permissions,
      roles,
      environment: z.optional(f.text()),
      code,
      identity: z.optional(f.objectOf({ id: f.text(), externalId: f.text(), meta: anyMeta() })),
      requestId: f.text(),
    }),
    verification.aboutVerification.result,
  );
});
type VerifyKeyResult = z.input<ReturnType<typeof verifyKeyResult>>;

export const verifyKey = operationOfV1("keys.verifyKey", {
  isOpen: true,
  summary: "Verify a key",
  description:
    "Tells whether a key value is valid, and counts the use. It needs no token. A key that is not valid is answered 200 with another code than `VALID`.",
  input: verifyKeyBody,
  output: verifyKeyResult,
  errors: ["BAD_REQUEST", "FORBIDDEN", "INTERNAL_SERVER_ERROR"],

  /** The call needs no token, so the key may belong to any workspace. */
  run({ advise, answer, input, requestId, setHeader, workspaces }): VerifyKeyResult {
    for (const workspace of answer === "NOT_FOUND" ? [] : workspaces) {
      const key = keyWithSecret(workspace, input.key);
      if (key === undefined) continue;
      if (!workspace.enabled) {
        throw new ApiError("FORBIDDEN", "key: the workspace of the key is disabled");
      }
      const verdict = verification.verify(workspace, key, keyChecksOf(input, key, answer));
      if (verdict.reason !== undefined) advise(verdict.reason, { isEcho: true });
      const exceeded = verdict.limits?.find((limit) => limit.exceeded);
      if (exceeded !== undefined)
        setHeader("Unkey-Ratelimit-Triggered", toHeaderText(exceeded.name));
      return toResult(workspace, key, verdict, requestId);
    }
    if (answer !== "NOT_FOUND") advise("no key has this value", { isEcho: true });
    return { valid: false, code: "NOT_FOUND", requestId };
  },
});

function keyChecksOf(
  { apiId, authorization, ratelimits = [], remaining }: VerifyKeyBody,
  key: Key,
  answer: verification.KeyChecks["answer"],
): verification.KeyChecks {
  return {
    stored: key,
    answer,
    apiId: apiId || undefined,
    cost: remaining?.cost ?? 1,
    limits: ratelimits,
    // The call needs no token, and its reply shows only a part of one limit.
    showsRates: false,
    unknownLimit: (name, identity) => badRequest(unknownLimitMessage(name, key, identity)),
    neededPermissions() {
      const query = readPermissionObject(authorization?.permissions);
      if (query !== "invalid") return query;
      const expected = 'expected a name, {"and": [...]} or {"or": [...]} of these';
      throw badRequest(`authorization.permissions: ${expected}`);
    },
  };
}

function unknownLimitMessage(name: string, key: Key, identity: Identity | undefined): string {
  const owner =
    identity === undefined
      ? "and it has no identity"
      : `nor its identity ${quoted(identity.externalId, 100)}`;
  const limit = quoted(name);
  return `The key ${key.id} has no rate limit ${limit}, ${owner}. Send \`limit\` and \`duration\` for a limit of this call only.`;
}

/** The members are in the order of the service. */
function toResult(
  workspace: Workspace,
  key: Key,
  { code, limits, remaining }: verification.Verdict,
  requestId: string,
): VerifyKeyResult {
  const identity = toIdentity(workspace, key);
  return {
    keyId: key.id,
    valid: code === "VALID",
    name: key.name || undefined,
    ownerId: identity?.externalId ?? key.ownerId,
    meta: key.meta,
    expires: key.expires || undefined,
    remaining: verification.shownUses(remaining),
    ratelimit: limits && toRatelimit(limits),
    enabled: key.enabled,
    permissions: permissionsOf(workspace, key),
    roles: [...key.roles],
    environment: key.environment || undefined,
    code,
    identity,
    requestId,
  };
}

/** From the limit that refused, else the first one. Only `limit` always comes from `default`. */
function toRatelimit(
  limits: NonNullable<verification.Verdict["limits"]>,
): VerifyKeyResult["ratelimit"] {
  const shown = limits.find(({ exceeded }) => exceeded) ?? limits[0];
  if (shown === undefined) return undefined;
  const { limit } = limits.find(({ name }) => name === DEFAULT_RATELIMIT) ?? {};
  const { remaining, reset } = shown;
  return { remaining, limit, reset };
}
