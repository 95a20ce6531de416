import { createHash } from "node:crypto";
import { expect } from "vitest";
import type { Emulator, Fixture } from "../../src/index.ts";
import { givenEmulator, post, type Answer, type CallOptions } from "../_emulator.ts";
import { acceptingAll } from "../_v2.ts";

// Migrations, and calls of keys.migrateKeys.

const PREFIXED = "github.com/seamapi/prefixed-api-key";

export const base64 = (value: string): string =>
  createHash("sha256").update(value).digest("base64");
export const hex = (value: string): string => createHash("sha256").update(value).digest("hex");

/** A key of the other system, and the hash that a migration with the algorithm of the prefix takes. */
export const OLD_KEY = "my_app_BRTRKFsL_51FwqftsmMDHHbJAMEXXHCgG";
export const OLD_HASH = hex("51FwqftsmMDHHbJAMEXXHCgG");

export const migrationsWorld = (permissions: string[] = []): Fixture[] => [
  {
    workspace: { id: "ws_test" },
    tokens: [
      { token: "any_token", permissions: ["*"] },
      { token: "limited", permissions },
    ],
    apis: [{ id: "api_one" }, { id: "api_two" }],
    migrations: [
      { id: "mig_plain" },
      { id: "mig_seam", algorithm: PREFIXED },
      { id: "mig_other", algorithm: PREFIXED },
    ],
  },
  {
    workspace: { id: "ws_other" },
    tokens: [{ token: "other_token", permissions: ["*"] }],
    apis: [{ id: "api_other" }],
    migrations: [{ id: "mig_far" }],
    keys: [{ id: "key_other", apiId: "api_other", key: "value_of_another_workspace" }],
  },
];

export const givenMigrations = (permissions?: string[]): Promise<Emulator> =>
  givenEmulator({ fixtures: migrationsWorld(permissions) });

/** Calls keys.migrateKeys for `api_one` with the migration `mig_plain`, unless the body says otherwise. */
export function migrate(emulator: Emulator, body: object, options?: CallOptions): Promise<Answer> {
  const defaults = { migrationId: "mig_plain", apiId: "api_one" };
  return post(emulator, "/v2/keys.migrateKeys", { ...defaults, ...body }, acceptingAll(options));
}

/** Migrates keys, and returns the `data` of the answer. */
export async function migrated(emulator: Emulator, keys: readonly object[], more: object = {}) {
  const { body, status } = await migrate(emulator, { keys, ...more });
  expect(status).toBe(200);
  return body.data;
}

/** Calls keys.verifyKey and returns the answer. */
export const verify = (emulator: Emulator, body: object, options?: CallOptions): Promise<Answer> =>
  post(emulator, "/v2/keys.verifyKey", body, acceptingAll(options));

export async function codeOf(emulator: Emulator, key: string, migrationId?: string) {
  const { body } = await verify(emulator, { key, migrationId });
  return body.data.code;
}
