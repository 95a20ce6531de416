import { HashedValue, readPrefixedKey } from "../../store/key-secret.ts";
import type { Key } from "../../store/key.ts";
import { PREFIXED_API_KEY } from "../../store/migration.ts";
import type { Call } from "../operation.ts";
import { keyWithSecret } from "../keys.ts";
import { refusals, refuse } from "./refusals.ts";

type Verification = Call<{ readonly key: string; readonly migrationId?: string | undefined }>;

/**
 * The migrated key with this value, for a call that names a migration which hashes in another way than
 * the service. As in the service, it need not be the migration that the key came with.
 * @throws ApiError for a value that cannot be hashed in this way
 */
export function keyOfMigration({ input, workspace }: Verification): Key | undefined {
  const { key: value, migrationId } = input;
  if (workspace.migrations.get(migrationId)?.algorithm !== PREFIXED_API_KEY) return undefined;
  const prefixed = readPrefixedKey(value);
  if (prefixed === undefined) throw refuse(refusals.malformedKey, EXPECTED_PARTS);
  return keyWithSecret(workspace, new HashedValue(prefixed.hash));
}

const EXPECTED_PARTS =
  "the migration expects a key of at least three parts, with an underscore between them";

/** Notes the value of a key that was verified with its migration. Later calls need no migration. */
export function settleMigration({ input, workspace: { keys } }: Verification, keyId: string): void {
  const key = keys.get(keyId);
  const prefixed = readPrefixedKey(input.key);
  if (prefixed === undefined || key === undefined || key.migrationId !== input.migrationId) return;
  keys.settle(key, input.key, prefixed.start);
}
