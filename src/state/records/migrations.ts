import * as z from "zod/mini";
import { type OnChange, RecordSet } from "./record-set.ts";
import { SmallTable } from "../tables/table.ts";
import * as f from "../../schema/fields.ts";
import { lazily } from "../../base/lazily.ts";

/** How keys of https://github.com/seamapi/prefixed-api-key are hashed: only the last part of a value. */
export const PREFIXED_API_KEY = "github.com/seamapi/prefixed-api-key";

const algorithm = lazily(() => f.choice(["sha256", PREFIXED_API_KEY]));

export const migrationInit = lazily(() =>
  f.objectOf({
    id: f.described(
      f.id,
      "`keys.migrateKeys` and `keys.verifyKey` of v2 name it as `migrationId`.",
    ),
    algorithm: z.optional(
      f.described(
        algorithm(),
        "The hash of its keys: `sha256` of the value, in base64. The other one hashes the part behind the last underscore, in hex. Default: `sha256`.",
      ),
    ),
  }),
);
export type MigrationInit = z.infer<ReturnType<typeof migrationInit>>;

/** A move of keys from another system. The staff of the service sets it up. */
export class Migration {
  readonly id: string;
  readonly algorithm: z.infer<ReturnType<typeof algorithm>>;

  constructor(init: MigrationInit) {
    this.id = init.id;
    this.algorithm = init.algorithm ?? "sha256";
  }
}

export type Migrations = RecordSet<MigrationInit, Migration>;

export function createMigrations(onChange: OnChange<Migration>): Migrations {
  return new RecordSet(new SmallTable<Migration>(["id"]), {
    noun: "migration",
    schema: migrationInit,
    type: Migration,
    build: (init) => new Migration(init),
    onChange,
  });
}
