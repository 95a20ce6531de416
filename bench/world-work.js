// Calls whose work grows with the world, each in a world of 100,000 keys with one role, one permission and
// a daily refill, and of as many counters of rate limits as 50,000 identifiers have.

/** What the process is started with. */
export const worldFixture = {
  apis: [{ id: "api_many" }, { id: "api_few" }],
  roles: [{ name: "common", permissions: ["read"] }],
  permissions: ["own"],
  migrations: [{ id: "mig_one" }],
  generate: [
    {
      apiId: "api_many",
      count: 100_000,
      roles: ["common"],
      like: { permissions: ["own"], remaining: 5, refill: { interval: "daily", amount: 1_000 } },
    },
  ],
};

const list = (count, toItem) => Array.from({ length: count }, (_, index) => toItem(index));
const permissions = list(10_000, (index) => `permission.number.${index}`);
const post = (operation, body) => ({ path: `/v2/${operation}`, body });
const control = (method, path, body) => ({ method, path: `/_latchkey${path}`, body });

/** Calls that make counters, big roles and keys with them. Each world has them before it is measured. */
export const preparations = [
  ...list(500, (call) =>
    post(
      "ratelimit.multiLimit",
      list(100, (index) => ({
        namespace: "emails",
        identifier: `visitor-${call}-${index}`,
        limit: 10,
        duration: 3_600_000,
      })),
    ),
  ),
  ...list(40, (index) => post("permissions.createRole", { name: `big_${index}`, permissions })),
  ...list(100, (index) =>
    post("keys.createKey", { apiId: "api_few", roles: [`big_${index % 40}`] }),
  ),
];

/**
 * The calls, in this order: a later one may need what an earlier one did.
 * @param cursor of the second page of the keys, sorted by `-name`
 * @param snapshot the text of a snapshot of 50,000 of the keys
 */
export const worldWork = ({ cursor, key, keyId, snapshot }) =>
  Object.entries({
    "first keys.verifyKey": post("keys.verifyKey", { key }),
    "keys.deleteKey beside 50,000 counters": post("keys.deleteKey", { keyId }),
    "apis.listKeys, roles of 10,000 permissions": post("apis.listKeys", { apiId: "api_few" }),
    "permissions.listRoles, 10,000 permissions each": post("permissions.listRoles", {}),
    "identities.listIdentities with a search": post("identities.listIdentities", { search: "?" }),
    "keys.migrateKeys of one hash": post("keys.migrateKeys", {
      migrationId: "mig_one",
      apiId: "api_few",
      keys: [{ hash: "mCjaY8o73Ro0EBNN8uHmTkmqBmHqXBfCdPfqKZ6AAPE=" }],
    }),
    "GET keys, sorted, second page": control("GET", `/keys?sort=-name&cursor=${cursor}`),
    "GET usage": control("GET", "/usage"),
    "GET snapshot": control("GET", "/snapshot"),
    "POST seed of 100,000 made-up keys": control("POST", "/seed", {
      generate: [{ apiId: "api_few", count: 100_000 }],
    }),
    "PUT clock to the next day, 100,000 refills (excepted)": control("PUT", "/clock", {
      advance: "1d",
    }),
    "permissions.deletePermission of 100,000 keys": post("permissions.deletePermission", {
      permission: "own",
    }),
    "permissions.deleteRole of 100,000 keys": post("permissions.deleteRole", { role: "common" }),
    "apis.deleteApi of 100,000 keys": post("apis.deleteApi", { apiId: "api_many" }),
    "PUT snapshot of 50,000 keys (JSON.parse is excepted)": control("PUT", "/snapshot", snapshot),
    "POST reset": control("POST", "/reset"),
  });
