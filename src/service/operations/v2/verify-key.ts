import * as z from "zod/mini";
import { parsePermissionQuery } from "../../../api/permission-query.ts";
import * as f from "../../../schema/fields.ts";
import { MAX_KEYSPACE_ID } from "../../../schema/id.ts";
import { lazily } from "../../../base/lazily.ts";
import type { Key } from "../../../state/keys/key.ts";
import type { Identity } from "../../../state/records/identities.ts";
import { PREFIXED_API_KEY } from "../../../state/records/migrations.ts";
import { timestamp } from "../../../state/vocabulary.ts";
import type { Workspace } from "../../../state/workspace.ts";
import { about } from "../fields.ts";
import { keyWithSecret, permissionsOf, type WithRoles } from "../keys.ts";
import { type AdmittedCall, type Call, onKey, operationOfV2 } from "../operation.ts";
import * as verification from "../verification.ts";
import { identity as identityRecord, ratelimit, shownMeta, toIdentity } from "./key-record.ts";
import { unlessEmpty } from "../../../base/json.ts";
import { refusals, refuse } from "./refusals.ts";
import { HashedValue, readPrefixedKey } from "../../../state/keys/key-secret.ts";

const MAX_COST = 1_000_000_000_000;

const keyspaceId = lazily(() => f.text({ min: 1, max: MAX_KEYSPACE_ID }));

const verifyKeyBody = lazily(() =>
  f.described(
    f.closedObjectOf({
      key: f.described(f.text({ min: 1, max: 512 }), verification.aboutVerification.key),
      keyspaces: f.optional(
        f.listOf(keyspaceId(), "ids of keyspaces", { min: 1, max: 5 }),
        "Keys of other keyspaces than these are answered `NOT_FOUND`.",
      ),
      tags: z.optional(
        f.described(f.listOf(f.text({ min: 1, max: 512 }), "tags", { max: 20 }), about.ignored),
      ),
      permissions: f.optional(
        f.text({ min: 1, max: 1000 }),
        "The permissions that the key needs, like `docs.read AND (a OR b)`.",
      ),
      credits: z.optional(
        f.closedObjectOf({
          cost: f.described(
            f.integer({ min: 0, max: MAX_COST }),
            "How many uses to take. 0 takes none. Without `credits`: 1.",
          ),
        }),
      ),
      // The service ignores unknown members of an item. In other objects it refuses them.
      ratelimits: verification.namedLimits({
        name: { min: 3, max: 255 },
        minDuration: 1000,
        cost: "How many uses the verification counts as. 0 only checks. Default: 1.",
      }),
      migrationId: f.optional(
        f.text({ max: 256 }),
        "The migration that the key came with. It is needed until the key was verified once, if the migration does not hash with `sha256`.",
      ),
    }),
    verification.aboutVerification.body,
  ),
);
type VerifyKeyBody = z.output<ReturnType<typeof verifyKeyBody>>;

const checkedLimit = lazily(() =>
  f.described(
    z.extend(ratelimit(), {
      exceeded: f.described(f.flag(), "Whether this limit refused."),
      limit: f.integer({ min: 0 }),
      remaining: f.described(f.integer({ min: 0 }), "Uses left in the window."),
      reset: timestamp("When the window ends."),
    }),
    { id: "CheckedRatelimit", description: "A rate limit that was checked." },
  ),
);

const verifyKeyResult = lazily(() => {
  const outcome = verification.outcomeMembers();
  return f.described(
    f.objectOf({
      data: f.objectOf({
        code: outcome.code,
        credits: f.optional(f.integer({ min: 0 }), "Uses left, if they are limited."),
        enabled: outcome.enabled,
        expires: outcome.expires,
        identity: z.optional(identityRecord()),
        keyId: outcome.keyId,
        keyspaceId: f.optional(f.text(), "The id of the keyspace of its API."),
        meta: outcome.meta,
        name: outcome.name,
        permissions: outcome.permissions,
        ratelimits: f.optional(
          f.listOf(checkedLimit(), "rate limits"),
          "Those that were checked; absent if an earlier check refused.",
        ),
        roles: outcome.roles,
        valid: outcome.valid,
      }),
    }),
    verification.aboutVerification.result,
  );
});
export type VerifyKeyData = z.input<ReturnType<typeof verifyKeyResult>>["data"];

export const verifyKey = operationOfV2("keys.verifyKey", {
  summary: "Verify a key",
  description:
    "Tells whether a key value is valid, and counts the use. A key that is not valid, or that the token may not verify, is answered 200 with another code than `VALID`.",
  input: verifyKeyBody,
  output: verifyKeyResult,

  run(call): { data: VerifyKeyData } {
    const { advise, answer, input, meets, workspace } = call;
    const isCached = workspace.quirks.has("cached-verifications");
    const known = isCached
      ? workspace.cachedKeys.read(input.key, () => keyWithSecret(workspace, input.key))
      : keyWithSecret(workspace, input.key);
    const key = known ?? keyOfMigration(call);
    // A key that the token may not verify gets the answer and the hint of an unknown key.
    if (key === undefined || !meets([onKey(key, "verify_key")])) return notFound(call);
    const checks = keyChecksOf(call, key, isCached ? workspace.keys.get(key.id) : key);
    // Undefined if the keyspace was switched off after the key was created.
    const keyspaceId = workspace.apis.get(key.apiId)?.keyspaceId;
    // This comes before the key is judged, so that the answer reveals nothing and no use is counted. As
    // in the service, a permission query that does not parse is refused earlier, whatever the keyspace.
    if (input.keyspaces?.every((id) => id !== keyspaceId)) {
      // The token may verify the key, and a verification without `keyspaces` shows its keyspace.
      const found =
        keyspaceId === undefined ? "no keyspace with an id" : `the keyspace ${keyspaceId}`;
      advise(`the key is of ${found}, which is not among \`keyspaces\``, { isEcho: true });
      return { data: NOT_FOUND };
    }
    if (answer === "NOT_FOUND") return { data: NOT_FOUND };
    // `verify` replaces the record. The answer can use the old one: only the uses left change, and the
    // verdict has them.
    const verdict = verification.verify(workspace, key, checks);
    if (verdict.reason !== undefined) advise(verdict.reason, { isEcho: true });
    if (known === undefined) settleMigration(call, key.id);
    return { data: toVerifyKeyData(workspace, key, keyspaceId, verdict) };
  },
});

const NOT_FOUND: VerifyKeyData = { code: "NOT_FOUND", valid: false };

/** The hint depends on the rights of the token alone, so it does not reveal whether a key has the value. */
function notFound({ advise, lacking }: AdmittedCall<VerifyKeyBody>): { data: VerifyKeyData } {
  const lack = lacking([{ oneOf: ["api.*.verify_key"] }]);
  if (lack === undefined) advise(UNKNOWN, { isEcho: true });
  else advise(`${UNKNOWN}, or the token may not verify it; to verify keys of every API, ${lack}`);
  return { data: NOT_FOUND };
}

const UNKNOWN = "no key of this workspace has this value";

/** @throws ApiError for an invalid permission query. The service checks it before the key's state. */
function keyChecksOf(
  { answer, input, may }: AdmittedCall<VerifyKeyBody>,
  key: Key,
  stored: Key | undefined,
): verification.KeyChecks {
  const { credits, permissions, ratelimits = [] } = input;
  const query = permissions === undefined ? undefined : parsePermissionQuery(permissions);
  if (query !== undefined && "problem" in query) {
    throw refuse(
      refusals.permissionQuery(query.problem),
      query.problem ? undefined : EXPECTED_PERMISSION,
    );
  }
  return {
    stored,
    answer,
    cost: credits?.cost ?? 1,
    showsRates: true,
    limits: ratelimits,
    unknownLimit(name, identity) {
      // A token that may verify the key, but not read it, must not learn which limits it has.
      const known = may([onKey(key, "read_key")]) ? `${describeLimits(key, identity)}; ` : "";
      const hint = `${known}send \`limit\` and \`duration\` for a limit of this call only`;
      return refuse(refusals.unknownRatelimit(name, key.id, identity), hint);
    },
    neededPermissions: query && (() => query),
  };
}

/** The service sends no message for an invalid character instead of a permission. */
const EXPECTED_PERMISSION =
  "permissions: expected a permission or an opening parenthesis, got a character that is neither";

function describeLimits({ ratelimits }: Key, identity: Identity | undefined): string {
  const all = [...ratelimits, ...(identity?.ratelimits ?? [])];
  const names = [...new Set(all.map(({ name }) => name))];
  return names.length === 0 ? "it has no rate limits" : `its rate limits are ${names.join(", ")}`;
}

/** The members are in the order of the service. */
export function toVerifyKeyData(
  workspace: WithRoles & { readonly identities: Pick<Workspace["identities"], "get"> },
  key: Key,
  keyspaceId: string | undefined,
  verdict: verification.Verdict,
): VerifyKeyData {
  const { code, limits, remaining = key.remaining } = verdict;
  const identity = workspace.identities.get(key.identityId);
  const isOverridden = (name: string) =>
    key.ratelimits.some((ratelimit) => ratelimit.name === name);
  return {
    code,
    credits: remaining && verification.shownUses(remaining),
    enabled: key.enabled,
    expires: key.expires || undefined,
    // A limit of the key overrides one of its identity with the same name.
    identity: identity && toIdentity(identity, ({ name }) => !isOverridden(name)),
    keyId: key.id,
    keyspaceId,
    meta: key.meta && shownMeta(key.meta),
    name: key.name || undefined,
    permissions: unlessEmpty(permissionsOf(workspace, key)),
    ratelimits: unlessEmpty(limits),
    roles: unlessEmpty([...key.roles]),
    valid: code === "VALID",
  };
}

type Verification = Call<{ readonly key: string; readonly migrationId?: string | undefined }>;

/**
 * The migrated key with this value, for a call that names a migration with another algorithm than the
 * service's. As in the service, it need not be the migration that the key came with.
 * @throws ApiError for a value that cannot be hashed in this way
 */
function keyOfMigration({ input, workspace }: Verification): Key | undefined {
  const { key: value, migrationId } = input;
  if (workspace.migrations.get(migrationId)?.algorithm !== PREFIXED_API_KEY) return undefined;
  const prefixed = readPrefixedKey(value);
  if (prefixed === undefined) throw refuse(refusals.malformedKey, EXPECTED_PARTS);
  return keyWithSecret(workspace, new HashedValue(prefixed.hash));
}

const EXPECTED_PARTS =
  "the migration expects a key of at least three parts, with an underscore between them";

/** Stores the value of a key that was verified with its migration. Later calls need no migration. */
function settleMigration({ input, workspace: { keys } }: Verification, keyId: string): void {
  const key = keys.get(keyId);
  const prefixed = readPrefixedKey(input.key);
  if (prefixed === undefined || key === undefined || key.migrationId !== input.migrationId) return;
  keys.settle(key, input.key, prefixed.start);
}
