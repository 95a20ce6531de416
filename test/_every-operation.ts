import type { Fixture } from "../src/index.ts";

/** A fixture with which every call of `calls` passes. */
export const everything: Fixture = {
  apis: [
    { id: "api_first", keyspaceId: "ks_first", storeEncryptedKeys: true },
    { id: "api_second", keyspaceId: "ks_second", storeEncryptedKeys: true },
  ],
  permissions: [
    { id: "perm_read", name: "docs.read" },
    { id: "perm_write", name: "docs.write" },
  ],
  roles: [
    { id: "role_reader", name: "reader", permissions: ["docs.read"] },
    { id: "role_writer", name: "writer" },
  ],
  identities: [{ id: "id_one", externalId: "user_1" }],
  ratelimitNamespaces: [
    {
      id: "rlns_sms",
      name: "sms",
      overrides: [{ id: "rlor_vip", identifier: "vip", limit: 100, duration: 1_000 }],
    },
    { id: "rlns_mail", name: "mail" },
  ],
  migrations: [{ id: "mig_one" }],
  keys: [
    {
      id: "key_one",
      apiId: "api_first",
      key: "value_of_one_0123456789",
      recoverable: true,
      remaining: 10,
      externalId: "user_1",
      roles: ["reader"],
      permissions: ["docs.write"],
    },
    { id: "key_two", apiId: "api_second", key: "value_of_two_0123456789" },
  ],
};

const [keyId, key, apiId] = ["key_one", "value_of_one_0123456789", "api_first"];
const limit = { identifier: "one", limit: 10, duration: 60_000 };

/** Calls that pass, at least one of each operation that demands a right. */
export const calls: readonly (readonly [path: string, input: object])[] = [
  ["/v2/apis.createApi", { name: "new" }],
  ["/v2/apis.getApi", { apiId }],
  ["/v2/apis.listKeys", { apiId }],
  ["/v2/apis.listKeys", { apiId, decrypt: true }],
  ["/v2/apis.deleteApi", { apiId: "api_second" }],
  ["/v2/keys.createKey", { apiId }],
  ["/v2/keys.createKey", { apiId, recoverable: true }],
  ["/v2/keys.createKey", { apiId, roles: ["reader"], permissions: ["docs.read", "docs.new"] }],
  ["/v2/keys.createKey", { apiId, externalId: "user_new" }],
  ["/v2/keys.verifyKey", { key }],
  ["/v2/keys.getKey", { keyId }],
  ["/v2/keys.getKey", { keyId, decrypt: true }],
  ["/v2/keys.whoami", { key }],
  ["/v2/keys.updateKey", { keyId, name: "other" }],
  ["/v2/keys.updateKey", { keyId, roles: ["writer"], permissions: ["docs.new"] }],
  ["/v2/keys.updateCredits", { keyId, operation: "set", value: 5 }],
  ["/v2/keys.rerollKey", { keyId, expiration: 0 }],
  ["/v2/keys.deleteKey", { keyId }],
  ["/v2/keys.addPermissions", { keyId, permissions: ["docs.read"] }],
  ["/v2/keys.addPermissions", { keyId, permissions: ["docs.new"] }],
  ["/v2/keys.removePermissions", { keyId, permissions: ["docs.write"] }],
  ["/v2/keys.setPermissions", { keyId, permissions: ["docs.read"] }],
  ["/v2/keys.addRoles", { keyId, roles: ["writer"] }],
  ["/v2/keys.removeRoles", { keyId, roles: ["reader"] }],
  ["/v2/keys.setRoles", { keyId, roles: ["writer"] }],
  ["/v2/keys.migrateKeys", { migrationId: "mig_one", apiId, keys: [{ hash: "0123456789abcdef" }] }],
  ["/v2/identities.createIdentity", { externalId: "user_new" }],
  ["/v2/identities.getIdentity", { identity: "user_1" }],
  ["/v2/identities.listIdentities", {}],
  ["/v2/identities.updateIdentity", { identity: "user_1", meta: { plan: "pro" } }],
  ["/v2/identities.deleteIdentity", { identity: "user_1" }],
  ["/v2/permissions.createPermission", { name: "New", slug: "docs.new" }],
  ["/v2/permissions.getPermission", { permission: "perm_read" }],
  ["/v2/permissions.listPermissions", {}],
  ["/v2/permissions.deletePermission", { permission: "perm_read" }],
  ["/v2/permissions.updatePermission", { permission: "perm_read", name: "New" }],
  ["/v2/permissions.createRole", { name: "new" }],
  ["/v2/permissions.createRole", { name: "new", permissions: ["docs.new"] }],
  ["/v2/permissions.getRole", { role: "role_reader" }],
  ["/v2/permissions.listRoles", {}],
  ["/v2/permissions.updateRole", { role: "role_reader", name: "new" }],
  ["/v2/permissions.setRolePermissions", { roleId: "role_reader", permissions: ["docs.write"] }],
  ["/v2/permissions.setRolePermissions", { roleId: "role_reader", permissions: ["docs.new"] }],
  ["/v2/permissions.deleteRole", { role: "role_reader" }],
  ["/v2/ratelimit.limit", { namespace: "sms", ...limit }],
  ["/v2/ratelimit.limit", { namespace: "new", ...limit }],
  [
    "/v2/ratelimit.multiLimit",
    [
      { namespace: "sms", ...limit },
      { namespace: "mail", ...limit },
    ],
  ],
  ["/v2/ratelimit.multiLimit", [{ namespace: "new", ...limit }]],
  ["/v2/ratelimit.setOverride", { namespace: "sms", ...limit }],
  ["/v2/ratelimit.getOverride", { namespace: "sms", identifier: "vip" }],
  ["/v2/ratelimit.listOverrides", { namespace: "sms" }],
  ["/v2/ratelimit.deleteOverride", { namespace: "sms", identifier: "vip" }],
  ["/v1/apis.listKeys?apiId=api_first", {}],
  ["/v1/apis.listKeys?apiId=api_first&decrypt=true", {}],
  ["/v1/keys.createKey", { apiId }],
  ["/v1/keys.createKey", { apiId, recoverable: true, roles: ["reader"] }],
  ["/v1/keys.createKey", { apiId, permissions: ["docs.new"], externalId: "user_new" }],
  ["/v1/keys.getKey?keyId=key_one", {}],
  ["/v1/keys.getKey?keyId=key_one&decrypt=true", {}],
  ["/v1/keys.updateKey", { keyId, name: "other" }],
  ["/v1/keys.updateRemaining", { keyId, op: "set", value: 5 }],
  ["/v1/keys.deleteKey", { keyId }],
  ["/v1/ratelimits.limit", { namespace: "sms", ...limit }],
  ["/v1/ratelimits.limit", { namespace: "new", ...limit }],
];

/** The name of the operation that a path calls, with its version. */
export function operationOf(path: string): string {
  return path.slice(1).replace(/\?.*$/, "").replace("/", " ");
}
