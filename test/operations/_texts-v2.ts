import type { Fixture } from "../../src/index.ts";
import { NOW } from "../_emulator.ts";

// The refusals of v2 in the words of the service, and the world in which they are given.

const WHOLE = { name: "whole", limit: 9, duration: 1_000, autoApply: false };

const mainWorld: Fixture = {
  workspace: { id: "ws_test" },
  tokens: [
    { token: "root", permissions: ["*"] },
    { token: "none", permissions: [] },
    // May do everything but look at what exists.
    {
      token: "blind",
      permissions: [
        ..."create_key update_key delete_key verify_key encrypt_key decrypt_key read_api".split(
          " ",
        ),
        "delete_api",
      ]
        .map((action) => `api.*.${action}`)
        .concat(
          ["add_role_to_key", "remove_permission_from_key", "delete_role", "delete_permission"].map(
            (name) => `rbac.*.${name}`,
          ),
        )
        .concat(["update_identity", "delete_identity"].map((name) => `identity.*.${name}`)),
    },
    // May read one API that exists, and one that does not.
    {
      token: "narrow",
      permissions: [
        ...["api_one", "api_none"].map((apiId) => `api.${apiId}.read_api`),
        "api.api_one.read_key",
      ],
    },
    { token: "off", enabled: false },
    { token: "old", expires: NOW - 999 },
  ],
  apis: [
    { id: "api_one" },
    { id: "api_vault", storeEncryptedKeys: true },
    { id: "api_bare", keyspace: false },
    { id: "api_safe", deleteProtection: true },
  ],
  roles: [{ name: "admin" }, { name: "guest" }],
  permissions: ["docs.read"],
  identities: [
    {
      id: "id_ann",
      externalId: "ann",
      ratelimits: [WHOLE],
    },
  ],
  keys: [
    { id: "key_free", apiId: "api_one", key: "value_of_free" },
    {
      id: "key_ann",
      apiId: "api_one",
      key: "value_of_ann",
      externalId: "ann",
      remaining: 5,
      ratelimits: [{ name: "calls", limit: 9, duration: 1_000, autoApply: false }],
    },
    { id: "key_off", apiId: "api_one", key: "value_of_off", enabled: false },
    { id: "key_kept", apiId: "api_vault", key: "value_of_kept", recoverable: true },
  ],
};

export const worlds: Fixture[] = [
  mainWorld,
  {
    workspace: { id: "ws_other" },
    tokens: [{ token: "other_token" }],
    apis: [{ id: "api_other" }],
    keys: [{ id: "key_other", apiId: "api_other", key: "value_of_other" }],
  },
  { workspace: { id: "ws_off", enabled: false }, tokens: [{ token: "closed" }] },
];

export interface Row {
  readonly call: string;
  readonly input: object | string;
  /** Null sends no header `Authorization`. */
  readonly authorization: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly status: number;
  /** What the type ends with. */
  readonly type: string;
  readonly detail: string;
  /** Undefined if there is none. */
  readonly hint?: string;
  /** Whether the schema refuses, so that `errors` has entries. */
  readonly isSchema?: boolean;
}

const usual = {
  call: "keys.getKey",
  input: { keyId: "key_free" },
  authorization: "Bearer root",
};

/** Rows that have these members in common. */
function rows(common: Partial<Row>, ...own: Partial<Row>[]): Row[] {
  return own.map((row) => ({ ...usual, ...common, ...row }) as Row);
}

const API = { status: 404, type: "unkey/data/api_not_found" };
const KEY = { status: 404, type: "unkey/data/key_not_found" };
const ROLE = { status: 404, type: "unkey/data/role_not_found" };
const INVALID = { status: 400, type: "unkey/application/invalid_input" };
const UNFIT = { status: 412, type: "unkey/application/precondition_failed" };

const UNKNOWN_KEY = "We could not find the requested key.";
const OTHER_KEY = "The specified key was not found.";
const NO_KEY_NONE = 'no key of this workspace has the id "key_none"';
const KEYS_HERE = "; the keys here are key_ann, key_free, key_off, key_kept";
const noApi = (apiId: string) =>
  `there is no API "${apiId}"; the APIs here are api_one, api_vault, api_bare, api_safe`;
const LIMIT_OF_CALL = "send `limit` and `duration` for a limit of this call only";

/** The operations on one key that tell whether another workspace has it, with a valid input. */
const telling: Readonly<Record<string, object>> = {
  "keys.getKey": {},
  "keys.updateKey": {},
  "keys.deleteKey": {},
  "keys.updateCredits": { operation: "set", value: 1 },
};

/** Those that do not. */
const hiding: Readonly<Record<string, object>> = {
  "keys.rerollKey": { expiration: 0 },
  "keys.addPermissions": { permissions: ["docs.read"] },
  "keys.setPermissions": { permissions: ["docs.read"] },
  "keys.removePermissions": { permissions: ["docs.read"] },
  "keys.addRoles": { roles: ["admin"] },
  "keys.setRoles": { roles: ["admin"] },
  "keys.removeRoles": { roles: ["admin"] },
};

const tokens: Row[] = [
  ...rows(
    { ...INVALID, isSchema: true, detail: "Authorization header for 'bearer' scheme" },
    { authorization: null },
    { authorization: "" },
  ),
  ...["raw_token", "bearer root", "Basic cm9vdA==", "Bearer"].flatMap((authorization) =>
    rows(
      { status: 400, type: "unkey/authentication/malformed" },
      {
        authorization,
        detail:
          "You must provide a valid root key in the Authorization header in the format 'Bearer ROOT_KEY'. Your authorization header is missing the 'Bearer ' prefix.",
      },
    ),
  ),
  ...rows(
    { status: 401, type: "unkey/authentication/key_not_found" },
    {
      authorization: "Bearer nobody",
      detail: "The provided root key is invalid. We could not find the requested key.",
      hint: "this token is not listed; send a listed one, list it in a fixture, or start with --token to accept only that one",
    },
  ),
  ...rows(
    { status: 403, type: "unkey/authorization/key_disabled" },
    {
      authorization: "Bearer off",
      detail: "The provided root key is invalid. The key is disabled.",
    },
  ),
  ...rows(
    { status: 403, type: "unkey/authorization/forbidden" },
    {
      authorization: "Bearer old",
      detail: "The provided root key is invalid. the key has expired on 2025-12-31T23:59:59Z",
    },
  ),
  ...rows(
    { status: 403, type: "unkey/authorization/workspace_disabled" },
    {
      authorization: "Bearer closed",
      detail: "The provided root key is invalid. The workspace is disabled.",
    },
  ),
];

const permissions: Row[] = rows(
  {
    status: 403,
    type: "unkey/authorization/insufficient_permissions",
    authorization: "Bearer none",
  },
  {
    call: "apis.createApi",
    input: { name: "Pay" },
    detail: "Missing permission: 'api.*.create_api'",
  },
  {
    call: "apis.getApi",
    input: { apiId: "api_none" },
    detail: "Missing one of these permissions: api.*.read_api or api.api_none.read_api",
  },
  {
    call: "identities.getIdentity",
    input: { identity: "ann" },
    detail:
      "Missing one of these permissions: identity.*.read_identity or identity.id_ann.read_identity",
  },
  {
    call: "identities.listIdentities",
    input: {},
    detail:
      "Missing one of these permissions: identity.id_ann.read_identity or identity.*.read_identity",
  },
  {
    input: { keyId: "key_free" },
    detail: "Missing one of these permissions: api.*.read_key or api.api_one.read_key",
  },
  {
    call: "keys.rerollKey",
    input: { keyId: "key_free", expiration: 0 },
    detail: "Missing one of these permissions: api.api_one.create_key or api.*.create_key",
  },
  {
    call: "keys.addRoles",
    input: { keyId: "key_free", roles: ["admin"] },
    detail:
      "Missing one of these permissions: api.*.update_key or api.api_one.update_key and rbac.*.add_role_to_key",
  },
);

const bodies: Row[] = [
  ...rows(
    { ...INVALID, isSchema: true },
    { input: {}, detail: "POST request body for '/v2/keys.getKey' failed to validate schema" },
    { input: "{", detail: "POST request body for '/v2/keys.getKey' failed to validate schema" },
    { input: "[]", detail: "POST request body for '/v2/keys.getKey' failed to validate schema" },
    { input: "", detail: "POST request body is empty for '/v2/keys.getKey'" },
    {
      input: "{}",
      headers: { "Content-Type": "text/plain" },
      detail: "POST operation request content type 'text/plain' does not exist",
    },
  ),
];

const keys: Row[] = [
  ...Object.entries(telling).flatMap(([call, input]) =>
    rows(
      { ...KEY, call },
      {
        input: { keyId: "key_none", ...input },
        detail: UNKNOWN_KEY,
        hint: NO_KEY_NONE + KEYS_HERE,
      },
      {
        authorization: "Bearer blind",
        input: { keyId: "key_none", ...input },
        detail: UNKNOWN_KEY,
        hint: NO_KEY_NONE,
      },
      {
        input: { keyId: "key_other", ...input },
        detail: OTHER_KEY,
        hint: 'no key of this workspace has the id "key_other"; another workspace has one',
      },
    ),
  ),
  ...Object.entries(hiding).flatMap(([call, input]) =>
    rows(
      { ...KEY, call },
      { input: { keyId: "key_none", ...input }, detail: OTHER_KEY, hint: NO_KEY_NONE + KEYS_HERE },
      {
        authorization: "Bearer blind",
        input: { keyId: "key_other", ...input },
        detail: OTHER_KEY,
        hint: 'no key of this workspace has the id "key_other"',
      },
    ),
  ),
  ...rows(
    { ...KEY, call: "keys.whoami" },
    {
      input: { key: "value_of_none" },
      detail: UNKNOWN_KEY,
      hint: "no key of this workspace has this value",
    },
    {
      input: { key: "value_of_other" },
      detail: OTHER_KEY,
      hint: "no key of this workspace has this value; a key of another workspace has it",
    },
    {
      authorization: "Bearer none",
      input: { key: "value_of_free" },
      detail:
        "The specified key was not found. Missing one of these permissions: api.*.read_key or api.api_one.read_key",
      hint: "the token needs api.*.read_key or api.api_one.read_key",
    },
  ),
];

const NO_API = "The requested API does not exist or has been deleted.";
const NO_API_FOR_KEY = "The specified API was not found.";

const apis: Row[] = [
  ...rows(
    { ...API, call: "apis.getApi", detail: NO_API },
    { input: { apiId: "api_none" }, hint: noApi("api_none") },
    { input: { apiId: "api_other" }, hint: noApi("api_other") },
    // It may read the API that it names, and must not learn which others there are.
    { authorization: "Bearer narrow", input: { apiId: "api_none" } },
    { call: "apis.deleteApi", input: { apiId: "api_none" }, hint: noApi("api_none") },
    { call: "apis.listKeys", input: { apiId: "api_none" }, hint: noApi("api_none") },
    {
      call: "apis.listKeys",
      authorization: "Bearer none",
      input: { apiId: "api_none" },
      hint: "the token needs api.*.read_key or api.api_none.read_key, and api.*.read_api or api.api_none.read_api",
    },
    {
      call: "apis.listKeys",
      authorization: "Bearer none",
      input: { apiId: "api_one" },
      hint: "the token needs api.*.read_key or api.api_one.read_key, and api.*.read_api or api.api_one.read_api",
    },
  ),
  ...rows(
    { ...API, call: "keys.createKey" },
    { input: { apiId: "api_none" }, detail: NO_API_FOR_KEY, hint: noApi("api_none") },
    {
      authorization: "Bearer none",
      input: { apiId: "api_none" },
      detail: NO_API_FOR_KEY,
      hint: "the token needs api.*.create_key or api.api_none.create_key",
    },
    {
      authorization: "Bearer none",
      input: { apiId: "api_one" },
      detail: NO_API_FOR_KEY,
      hint: "the token needs api.*.create_key or api.api_one.create_key",
    },
  ),
  ...rows(
    { status: 412, type: "unkey/application/protected_resource" },
    {
      call: "apis.deleteApi",
      input: { apiId: "api_safe" },
      detail: "This API has delete protection enabled. Disable it before attempting to delete.",
      hint: "api_safe has `deleteProtection`, which a fixture or emulator.apis changes",
    },
  ),
  ...rows(
    UNFIT,
    {
      call: "keys.createKey",
      input: { apiId: "api_bare" },
      detail: "The requested API is not set up to handle keys.",
      hint: "a fixture or emulator.apis gives api_bare `keyspace: false`",
    },
    {
      call: "keys.createKey",
      input: { apiId: "api_one", recoverable: true },
      detail: "This API does not support key encryption.",
      hint: "api_one stores no values of keys; give it `storeEncryptedKeys: true` in a fixture",
    },
    {
      input: { keyId: "key_free", decrypt: true },
      detail: "The API for this key does not support key encryption.",
      hint: "api_one stores no values of keys; give it `storeEncryptedKeys: true` in a fixture",
    },
    {
      call: "apis.listKeys",
      input: { apiId: "api_one", decrypt: true },
      detail: "The requested API does not support key encryption.",
      hint: "api_one stores no values of keys; give it `storeEncryptedKeys: true` in a fixture",
    },
  ),
];

const noIdentity = (identity: string) =>
  `no identity of this workspace has the id or external id "${identity}"`;

const identities: Row[] = [
  ...["getIdentity", "updateIdentity", "deleteIdentity"].flatMap((name) =>
    rows(
      {
        status: 404,
        type: "unkey/data/identity_not_found",
        call: `identities.${name}`,
        detail: "This identity does not exist.",
      },
      { input: { identity: "bob" }, hint: `${noIdentity("bob")}; the identities here are ann` },
      {
        authorization: "Bearer blind",
        input: { identity: "id_bob" },
        hint: noIdentity("id_bob"),
      },
    ),
  ),
  ...rows(
    { ...INVALID, call: "identities.updateIdentity" },
    {
      input: { identity: "ann", ratelimits: [WHOLE, WHOLE] },
      detail: "Ratelimit with name 'whole' is already defined in the request",
    },
    {
      input: { identity: "ann", meta: { text: "x".repeat(1_100_000) } },
      detail: "Metadata is too large: it must be at most 1.0 MB, but is 1.1 MB.",
    },
    {
      call: "identities.createIdentity",
      input: { externalId: "ann", meta: { text: "x".repeat(10_000_000) } },
      detail: "Metadata is too large: it must be at most 1.0 MB, but is 10 MB.",
    },
  ),
  ...rows(
    { status: 409, type: "unkey/data/identity_already_exists" },
    {
      call: "identities.createIdentity",
      input: { externalId: "ann" },
      detail: "Identity with externalId 'ann' already exists in this workspace.",
    },
  ),
];

const names: Row[] = [
  ...["createKey", "updateKey", "addRoles", "setRoles", "removeRoles"].flatMap((name) =>
    rows(
      { ...ROLE, call: `keys.${name}` },
      ...(["root", "blind"] as const).map((token) => ({
        authorization: `Bearer ${token}`,
        input: {
          ...(name === "createKey" ? { apiId: "api_one" } : { keyId: "key_free" }),
          roles: ["admin", "no 'one'", "nope"],
        },
        detail: "Role 'no 'one'' was not found.",
        ...(token === "root" ? { hint: "the roles here are admin, guest" } : {}),
      })),
      {
        input: {
          ...(name === "createKey" ? { apiId: "api_one" } : { keyId: "key_free" }),
          roles: ["\u{1f511}".repeat(128)],
        },
        detail: `Role '${"\u{1f511}".repeat(128)}' was not found.`,
        hint: "the roles here are admin, guest",
      },
    ),
  ),
  ...rows(
    { status: 404, type: "unkey/data/permission_not_found", call: "keys.removePermissions" },
    {
      input: { keyId: "key_free", permissions: ["docs.read", "nope", "none"] },
      detail: "Permission 'nope' was not found.",
      hint: "the permissions here are docs.read",
    },
    {
      authorization: "Bearer blind",
      input: { keyId: "key_free", permissions: ["nope"] },
      detail: "Permission 'nope' was not found.",
    },
  ),
];

const rolesAndPermissions: Row[] = [
  ...rows(
    { ...ROLE, detail: "The requested role does not exist.", input: { role: "nope" } },
    { call: "permissions.getRole", hint: "the roles here are admin, guest" },
    { call: "permissions.deleteRole", hint: "the roles here are admin, guest" },
    { call: "permissions.deleteRole", authorization: "Bearer blind" },
  ),
  ...rows(
    {
      status: 404,
      type: "unkey/data/permission_not_found",
      detail: "The requested permission does not exist.",
      input: { permission: "nope" },
    },
    { call: "permissions.getPermission", hint: "the permissions here are docs.read" },
    { call: "permissions.deletePermission", hint: "the permissions here are docs.read" },
    { call: "permissions.deletePermission", authorization: "Bearer blind" },
  ),
];

const ratelimits: Row[] = rows(
  { ...UNFIT, call: "keys.verifyKey" },
  {
    input: { key: "value_of_free", ratelimits: [{ name: "nope", limit: 5 }] },
    detail:
      "ratelimit 'nope' was requested but does not exist for key 'key_free' and there is no identity connected.",
    hint: `it has no rate limits; ${LIMIT_OF_CALL}`,
  },
  {
    input: { key: "value_of_ann", ratelimits: [{ name: "calls" }, { name: "nope" }] },
    detail:
      "ratelimit 'nope' was requested but does not exist for key 'key_ann' nor identity: 'id_ann' external ID: 'ann'",
    hint: `its rate limits are calls, whole; ${LIMIT_OF_CALL}`,
  },
  {
    authorization: "Bearer blind",
    input: { key: "value_of_ann", ratelimits: [{ name: "nope" }] },
    detail:
      "ratelimit 'nope' was requested but does not exist for key 'key_ann' nor identity: 'id_ann' external ID: 'ann'",
    hint: LIMIT_OF_CALL,
  },
);

const credits: Row[] = [
  ...["increment", "decrement"].flatMap((operation) =>
    rows(
      { ...INVALID, call: "keys.updateCredits" },
      {
        input: { keyId: "key_free", operation, value: 1 },
        detail: "You cannot increment or decrement a key with unlimited credits.",
        hint: `the key can be used any number of times; \`set\` a value, not ${operation}`,
      },
      {
        input: { keyId: "key_free", operation, value: null },
        detail: "When specifying an increment or decrement operation, a value must be provided.",
        hint: `value: expected a number to ${operation} by, got null`,
      },
      {
        input: { keyId: "key_ann", operation },
        detail: "When specifying an increment or decrement operation, a value must be provided.",
        hint: `value: expected a number to ${operation} by, got nothing`,
      },
    ),
  ),
  ...rows(
    { ...INVALID, call: "keys.createKey" },
    {
      input: {
        apiId: "api_one",
        credits: { remaining: null, refill: { interval: "daily", amount: 1 } },
      },
      detail: "`credits.remaining` must be provided when `credits.refill` is set.",
    },
    {
      input: {
        apiId: "api_one",
        credits: { remaining: 1, refill: { interval: "monthly", amount: 1 } },
      },
      detail: "`refillDay` must be provided when the refill interval is `monthly`.",
    },
    {
      call: "keys.updateKey",
      input: { keyId: "key_ann", credits: { refill: { interval: "monthly", amount: 1 } } },
      detail: "`refillDay` must be provided when the refill interval is `monthly`.",
    },
    {
      call: "keys.updateKey",
      input: {
        keyId: "key_ann",
        credits: { refill: { interval: "daily", amount: 1, refillDay: 1 } },
      },
      detail: "`refillDay` must not be provided when the refill interval is `daily`.",
    },
  ),
];

const OPERAND = "Expected a permission identifier or opening parenthesis.";
const EXTRA = "The query appears to have extra content after a valid expression.";

const queries: Row[] = rows(
  { status: 400, type: "user/bad_request/permissions_query_syntax_error", call: "keys.verifyKey" },
  ...(
    [
      ["a AND", `Unexpected end of query. ${OPERAND}`],
      ["AND a", `Unexpected token 'AND' at position 0. ${OPERAND}`],
      [
        "(permission_1 AND permission_2",
        "Missing closing parenthesis ')' at position 30. Every opening parenthesis must have a matching closing parenthesis.",
      ],
      [
        "permission_1 AND ()",
        "Empty parentheses found at position 18. Parentheses must contain at least one permission or expression.",
      ],
      ["  ", "Unexpected end of input. Please provide a valid permission query."],
      ["a b", `Unexpected token 'b' at position 2. ${EXTRA}`],
      [
        "a $",
        `Unexpected token 'invalid character '$' at position 2 in query' at position 2. ${EXTRA}`,
      ],
    ] as const
  ).map(([query, detail]) => ({
    // The permissions are read before the key is found to be disabled.
    input: { key: "value_of_off", permissions: query },
    detail,
  })),
  {
    input: { key: "value_of_free", permissions: "$a" },
    detail: "",
    hint: "permissions: expected a permission or an opening parenthesis, got a character that is neither",
  },
);

/** Every refusal of v2 whose text is known, and the hint that goes with it. */
export const refusals: readonly Row[] = [
  tokens,
  permissions,
  bodies,
  keys,
  apis,
  identities,
  names,
  rolesAndPermissions,
  ratelimits,
  credits,
  queries,
].flat();
