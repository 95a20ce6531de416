import * as z from "zod/mini";
import { lazily } from "../../../base/lazily.ts";
import * as f from "../../../schema/fields.ts";
import { HashedValue, isValueHash } from "../../../state/keys/key-secret.ts";
import { about } from "../fields.ts";
import { quoted } from "../../../base/wording/text.ts";
import { describeRecords, noKeyspace, unknownApi } from "../hints.ts";
import { type AdmittedCall, onApi, operationOfV2 } from "../operation.ts";
import { checkCredits, newKeyInput, roleNames } from "./fields.ts";
import { refusals, refuse } from "./refusals.ts";

const keyToMigrate = lazily(() => {
  const { credits, enabled, expires, meta, name, permissions, ratelimits } = newKeyInput();
  return f.described(
    f.closedObjectOf({
      hash: f.described(
        f.text({ min: 3 }),
        "The hash of its value, as the algorithm of the migration makes it.",
      ),
      name,
      externalId: z.optional(f.described(f.text({ min: 1, max: 255 }), about.externalId)),
      meta,
      roles: f.optional(roleNames(), "Names of roles; one that does not exist is created."),
      permissions,
      expires,
      credits,
      ratelimits,
      enabled,
    }),
    { id: "KeyToMigrate", description: "A key, with the hash of its value." },
  );
});

/** The service has no bound. More keys, with a hash each, do not fit into 100,000 values of a body. */
const MAX_KEYS = 50_000;

const migrateKeysBody = lazily(() =>
  f.described(
    f.closedObjectOf({
      migrationId: f.described(f.text({ min: 3, max: 255 }), "The migration, which must exist."),
      apiId: f.described(f.text({ min: 3, max: 255 }), about.apiOfKey),
      keys: f.listOf(keyToMigrate(), "keys", { min: 1, max: MAX_KEYS }),
    }),
    {
      id: "MigrateKeysBody",
      description: "Keys to create from the hashes of their values.",
      examples: [
        {
          migrationId: "migration_local",
          apiId: "api_local",
          keys: [{ hash: "mCjaY8o73Ro0EBNN8uHmTkmqBmHqXBfCdPfqKZ6AAPE=", name: "CI" }],
        },
      ],
    },
  ),
);
type MigrateKeysBody = z.output<ReturnType<typeof migrateKeysBody>>;

const migrateKeysResult = lazily(() =>
  f.component("MigrateKeysResult", "Which keys were created.", {
    data: f.objectOf({
      failed: f.described(
        f.listOf(f.text(), "hashes"),
        "Hashes that a key had already. No key was created for them.",
      ),
      migrated: f.described(
        f.listOf(
          f.objectOf({
            hash: f.text(),
            keyId: f.described(f.text(), "Identifier of the new key."),
          }),
          "new keys",
        ),
        "The new keys, in the order of the request.",
      ),
    }),
  }),
);

export const migrateKeys = operationOfV2("keys.migrateKeys", {
  summary: "Create keys from hashes",
  description:
    "Creates keys of an API from the hashes of their values, so that values of another system stay valid. Roles, permissions and identities that they name are created where they do not exist.",
  input: migrateKeysBody,
  output: migrateKeysResult,

  // The service names the permission for this API first.
  requires: ({ input }) => [{ oneOf: onApi(input.apiId, "create_key").oneOf.toReversed() }],

  *run(call) {
    const { apiId, keys, migrationId } = call.input;
    // All checks come first, in the order of the service.
    requireTargets(call);
    for (const { credits } of keys) checkCredits(credits);
    if (keys.some(({ hash }) => isValueHash(hash))) {
      for (const workspace of call.workspaces) yield* workspace.keys.hashInSteps();
      requireTargets(call);
    }
    createNamed(call);
    const failed = new Set<string>();
    const migrated: { hash: string; keyId: string }[] = [];
    for (const { permissions, roles, ...key } of keys) {
      yield;
      requireTargets(call);
      const { hash } = key;
      const secret = new HashedValue(hash);
      if (call.workspaces.some((workspace) => workspace.keys.findBySecret(secret) !== undefined)) {
        failed.add(hash);
        continue;
      }
      const names = { permissions: [...new Set(permissions)], roles: [...new Set(roles)] };
      const members = { ...key, ...names, apiId, migrationId, start: "" };
      const { record } = call.workspace.keys.issue(members, "v2");
      migrated.push({ hash, keyId: record.id });
    }
    return { data: { failed: [...failed], migrated } };
  },
});

/** Checks the API and the migration, which another request may delete while keys are created. */
function requireTargets(call: AdmittedCall<MigrateKeysBody>): void {
  const { apis, migrations } = call.workspace;
  const { apiId, migrationId } = call.input;
  const api = apis.get(apiId);
  if (api === undefined) throw refuse(refusals.requestedApi, unknownApi(call, "create_key"));
  if (!api.keyspace) throw refuse(refusals.noKeyspace, noKeyspace(api));
  if (migrations.get(migrationId) === undefined) {
    const known = describeRecords(call.workspace, "migrations");
    const hint = `there is no migration ${quoted(migrationId)}; ${known}`;
    throw refuse(refusals.unknownMigration, hint);
  }
}

/** Creates the records that the keys name. The service does so even for keys that it does not create. */
function createNamed({ input: { keys }, workspace }: AdmittedCall<MigrateKeysBody>): void {
  // All at once, because each change of a role or permission empties caches.
  workspace.roles.ensureAll(keys.flatMap(({ roles = [] }) => roles));
  workspace.permissions.ensureAll(keys.flatMap(({ permissions = [] }) => permissions));
  workspace.identities.ensureAll(keys.flatMap(({ externalId = [] }) => externalId));
}
