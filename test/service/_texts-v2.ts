import type { Fixture } from "../../src/index.ts";
import type { Refusal } from "../_v2.ts";

// The refusals of v2 in the words of the service, and the world in which they are given.

const WHOLE = { name: "whole", limit: 9, duration: 1_000, autoApply: false };

const mainWorld: Fixture = {
  workspace: { id: "ws_test" },
  tokens: [
    { token: "root", permissions: ["*"] },
    { token: "none", permissions: [] },
    // May do everything except read what exists.
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
  ],
  apis: [
    { id: "api_one", keyspaceId: "ks_one" },
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
];

export interface Row {
  readonly call: string;
  readonly input: object;
  readonly token: string;
  readonly status: number;
  readonly type: Refusal["type"];
  readonly detail: string;
  /** Undefined if there is none. */
  readonly hint: string | undefined;
}

/** A call, its refusal, and the token that sends it. Default: one that may do everything. */
type Line = readonly [input: object, detail: string, hint?: string | undefined, token?: string];

/** The refusals of an operation with one status and type. */
const said = (
  [status, type]: readonly [number, Refusal["type"]],
  call: string,
  ...lines: readonly Line[]
): Row[] =>
  lines.map(([input, detail, hint, token = "root"]) => {
    const answer = { status, type, detail, hint };
    return { call, input, token, ...answer };
  });

const API = [404, "unkey/data/api_not_found"] as const;
const KEY = [404, "unkey/data/key_not_found"] as const;
const ROLE = [404, "unkey/data/role_not_found"] as const;
const PERMISSION = [404, "unkey/data/permission_not_found"] as const;
const IDENTITY = [404, "unkey/data/identity_not_found"] as const;
const TAKEN = [409, "unkey/data/identity_already_exists"] as const;
const INVALID = [400, "unkey/application/invalid_input"] as const;
const UNFIT = [412, "unkey/application/precondition_failed"] as const;
const PROTECTED = [412, "unkey/application/protected_resource"] as const;
const QUERY = [400, "user/bad_request/permissions_query_syntax_error"] as const;

const urn = (place: string) => `unkey:v1:ws_test:projects/*/keyspaces/${place}`;
const UNKNOWN_KEY = "We could not find the requested key.";
const OTHER_KEY = "The specified key was not found.";
const noKeyWith = (id: string) => `no key of this workspace has the id "${id}"`;
const KEYS_HERE = "; the keys here are key_ann, key_free, key_off, key_kept";
const noApi = (apiId: string) =>
  `there is no API "${apiId}"; the APIs here are api_one, api_vault, api_bare, api_safe`;

/** The operations on one key that reveal whether another workspace has it, with a valid input. */
const telling: Readonly<Record<string, object>> = {
  "keys.getKey": {},
  "keys.updateKey": {},
  "keys.deleteKey": {},
  "keys.updateCredits": { operation: "set", value: 1 },
};

/** The operations that do not. */
const hiding: Readonly<Record<string, object>> = {
  "keys.rerollKey": { expiration: 0 },
  "keys.addPermissions": { permissions: ["docs.read"] },
  "keys.setPermissions": { permissions: ["docs.read"] },
  "keys.removePermissions": { permissions: ["docs.read"] },
  "keys.addRoles": { roles: ["admin"] },
  "keys.setRoles": { roles: ["admin"] },
  "keys.removeRoles": { roles: ["admin"] },
};

const [none, other] = [{ keyId: "key_none" }, { keyId: "key_other" }];
const elsewhere = "; another workspace has one";
const NO_VALUE = "no key of this workspace has this value";
const keys: Row[] = [
  ...Object.entries(telling).flatMap(([call, input]) =>
    said(
      KEY,
      call,
      [{ ...none, ...input }, UNKNOWN_KEY, noKeyWith("key_none") + KEYS_HERE],
      [{ ...none, ...input }, UNKNOWN_KEY, noKeyWith("key_none"), "blind"],
      [{ ...other, ...input }, OTHER_KEY, noKeyWith("key_other") + elsewhere],
    ),
  ),
  ...Object.entries(hiding).flatMap(([call, input]) =>
    said(
      KEY,
      call,
      [{ ...none, ...input }, OTHER_KEY, noKeyWith("key_none") + KEYS_HERE],
      [{ ...other, ...input }, OTHER_KEY, noKeyWith("key_other"), "blind"],
    ),
  ),
  ...said(
    KEY,
    "keys.whoami",
    [{ key: "value_of_none" }, UNKNOWN_KEY, NO_VALUE],
    [{ key: "value_of_other" }, OTHER_KEY, `${NO_VALUE}; a key of another workspace has it`],
    [
      { key: "value_of_free" },
      `${OTHER_KEY} Missing one of these permissions: ${urn("ks_one/keys/key_free#read")} or api.*.read_key or api.api_one.read_key`,
      `the token needs ${urn("*/keys/*#read")} or api.*.read_key or api.api_one.read_key`,
      "none",
    ],
  ),
];

const NO_API = "The requested API does not exist or has been deleted.";
const NO_API_FOR_KEY = "The specified API was not found.";
const [unknownApi, apiOne] = [{ apiId: "api_none" }, { apiId: "api_one" }];
const toList = (id: string) =>
  `the token needs ${urn("*/keys/*#read")} or api.*.read_key or api.${id}.read_key, and ${urn("*#read")} or api.*.read_api or api.${id}.read_api`;
const toCreate = (id: string) =>
  `the token needs ${urn("*/keys/*#write")} or api.*.create_key or api.${id}.create_key`;
const storesNone =
  "api_one stores no values of keys; give it `storeEncryptedKeys: true` in a fixture";

const apis: Row[] = [
  ...said(
    API,
    "apis.getApi",
    [unknownApi, NO_API, noApi("api_none")],
    [{ apiId: "api_other" }, NO_API, noApi("api_other")],
    // It may read the API that it names, and must not learn which others there are.
    [unknownApi, NO_API, undefined, "narrow"],
  ),
  ...said(API, "apis.deleteApi", [unknownApi, NO_API, noApi("api_none")]),
  ...said(
    API,
    "apis.listKeys",
    [unknownApi, NO_API, noApi("api_none")],
    [unknownApi, NO_API, toList("api_none"), "none"],
    [apiOne, NO_API, toList("api_one"), "none"],
  ),
  ...said(
    API,
    "keys.createKey",
    [unknownApi, NO_API_FOR_KEY, noApi("api_none")],
    [unknownApi, NO_API_FOR_KEY, toCreate("api_none"), "none"],
    [apiOne, NO_API_FOR_KEY, toCreate("api_one"), "none"],
  ),
  ...said(PROTECTED, "apis.deleteApi", [
    { apiId: "api_safe" },
    "This API has delete protection enabled. Disable it before attempting to delete.",
    "api_safe has `deleteProtection`, which a fixture or emulator.apis changes",
  ]),
  ...said(
    UNFIT,
    "keys.createKey",
    [
      { apiId: "api_bare" },
      "The requested API is not set up to handle keys.",
      "a fixture or emulator.apis gives api_bare `keyspace: false`",
    ],
    [{ ...apiOne, recoverable: true }, "This API does not support key encryption.", storesNone],
  ),
  ...said([500, "unkey/application/unexpected_error"], "apis.listKeys", [
    { apiId: "api_bare" },
    "The API has no keyspace, so it has no keys.",
    "a fixture or emulator.apis gives api_bare `keyspace: false`",
  ]),
  ...said(UNFIT, "keys.getKey", [
    { keyId: "key_free", decrypt: true },
    "The API for this key does not support key encryption.",
    storesNone,
  ]),
  ...said(UNFIT, "apis.listKeys", [
    { ...apiOne, decrypt: true },
    "The requested API does not support key encryption.",
    storesNone,
  ]),
];

const noIdentity = (identity: string) =>
  `no identity of this workspace has the id or external id "${identity}"`;
const NO_IDENTITY = "This identity does not exist.";
const tooLarge = (size: string) =>
  `Metadata is too large: it must be at most 1.0 MB, but is ${size}.`;

const identities: Row[] = [
  ...["getIdentity", "updateIdentity", "deleteIdentity"].flatMap((name) =>
    said(
      IDENTITY,
      `identities.${name}`,
      [{ identity: "bob" }, NO_IDENTITY, `${noIdentity("bob")}; the identities here are ann`],
      [{ identity: "id_bob" }, NO_IDENTITY, noIdentity("id_bob"), "blind"],
    ),
  ),
  ...said(
    INVALID,
    "identities.updateIdentity",
    [
      { identity: "ann", ratelimits: [WHOLE, WHOLE] },
      "Ratelimit with name 'whole' is already defined in the request",
    ],
    [{ identity: "ann", meta: { text: "x".repeat(1_100_000) } }, tooLarge("1.1 MB")],
  ),
  ...said(INVALID, "identities.createIdentity", [
    { externalId: "ann", meta: { text: "x".repeat(10_000_000) } },
    tooLarge("10 MB"),
  ]),
  ...said(TAKEN, "identities.createIdentity", [
    { externalId: "ann" },
    "Identity with externalId 'ann' already exists in this workspace.",
  ]),
];

const free = { keyId: "key_free" };
const ROLES_HERE = "the roles here are admin, guest";
const PERMISSIONS_HERE = "the permissions here are docs.read";
const long = "\u{1f511}".repeat(128);

const names: Row[] = [
  ...["createKey", "updateKey", "addRoles", "setRoles", "removeRoles"].flatMap((name) => {
    const of = name === "createKey" ? apiOne : free;
    const input = { ...of, roles: ["admin", "no 'one'", "nope"] };
    return said(
      ROLE,
      `keys.${name}`,
      [input, "Role 'no 'one'' was not found.", ROLES_HERE],
      [input, "Role 'no 'one'' was not found.", undefined, "blind"],
      [{ ...of, roles: [long] }, `Role '${long}' was not found.`, ROLES_HERE],
    );
  }),
  ...said(
    PERMISSION,
    "keys.removePermissions",
    [
      { ...free, permissions: ["docs.read", "nope", "none"] },
      "Permission 'nope' was not found.",
      PERMISSIONS_HERE,
    ],
    [{ ...free, permissions: ["nope"] }, "Permission 'nope' was not found.", undefined, "blind"],
  ),
];

const NO_ROLE = "The requested role does not exist.";
const NO_PERMISSION = "The requested permission does not exist.";
const [role, permission] = [{ role: "nope" }, { permission: "nope" }];

const rolesAndPermissions: Row[] = [
  ...said(ROLE, "permissions.getRole", [role, NO_ROLE, ROLES_HERE]),
  ...said(
    ROLE,
    "permissions.deleteRole",
    [role, NO_ROLE, ROLES_HERE],
    [role, NO_ROLE, undefined, "blind"],
  ),
  ...said(PERMISSION, "permissions.getPermission", [permission, NO_PERMISSION, PERMISSIONS_HERE]),
  ...said(
    PERMISSION,
    "permissions.deletePermission",
    [permission, NO_PERMISSION, PERMISSIONS_HERE],
    [permission, NO_PERMISSION, undefined, "blind"],
  ),
];

const LIMIT_OF_CALL = "send `limit` and `duration` for a limit of this call only";
const noLimitOfAnn =
  "ratelimit 'nope' was requested but does not exist for key 'key_ann' nor identity: 'id_ann' external ID: 'ann'";
const nope = { name: "nope" };

const ratelimits: Row[] = said(
  UNFIT,
  "keys.verifyKey",
  [
    { key: "value_of_free", ratelimits: [{ ...nope, limit: 5 }] },
    "ratelimit 'nope' was requested but does not exist for key 'key_free' and there is no identity connected.",
    `it has no rate limits; ${LIMIT_OF_CALL}`,
  ],
  [
    { key: "value_of_ann", ratelimits: [{ name: "calls" }, nope] },
    noLimitOfAnn,
    `its rate limits are calls, whole; ${LIMIT_OF_CALL}`,
  ],
  [{ key: "value_of_ann", ratelimits: [nope] }, noLimitOfAnn, LIMIT_OF_CALL, "blind"],
);

const NEEDS_VALUE =
  "When specifying an increment or decrement operation, a value must be provided.";
const NEEDS_DAY = "`refillDay` must be provided when the refill interval is `monthly`.";
const monthly = { interval: "monthly", amount: 1 };
const daily = { interval: "daily", amount: 1 };

const credits: Row[] = [
  ...["increment", "decrement"].flatMap((operation) =>
    said(
      INVALID,
      "keys.updateCredits",
      [
        { ...free, operation, value: 1 },
        "You cannot increment or decrement a key with unlimited credits.",
        `the key can be used any number of times; \`set\` a value, not ${operation}`,
      ],
      [
        { ...free, operation, value: null },
        NEEDS_VALUE,
        `value: expected a number to ${operation} by, got null`,
      ],
      [
        { keyId: "key_ann", operation },
        NEEDS_VALUE,
        `value: expected a number to ${operation} by, got nothing`,
      ],
    ),
  ),
  ...said(
    INVALID,
    "keys.createKey",
    [
      { ...apiOne, credits: { remaining: null, refill: daily } },
      "`credits.remaining` must be provided when `credits.refill` is set.",
    ],
    [{ ...apiOne, credits: { remaining: 1, refill: monthly } }, NEEDS_DAY],
  ),
  ...said(
    INVALID,
    "keys.updateKey",
    [{ keyId: "key_ann", credits: { refill: monthly } }, NEEDS_DAY],
    [
      { keyId: "key_ann", credits: { refill: { ...daily, refillDay: 1 } } },
      "`refillDay` must not be provided when the refill interval is `daily`.",
    ],
  ),
];

const OPERAND = "Expected a permission identifier or opening parenthesis.";
const EXTRA = "The query appears to have extra content after a valid expression.";

const queries: Row[] = said(
  QUERY,
  "keys.verifyKey",
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
  )
    // The permissions are read before the key is found to be disabled.
    .map(([query, detail]): Line => [{ key: "value_of_off", permissions: query }, detail]),
  [
    { key: "value_of_free", permissions: "$a" },
    "",
    "permissions: expected a permission or an opening parenthesis, got a character that is neither",
  ],
);

/**
 * The refusals of v2 with known texts, each with its hint. Refusals of tokens are in
 * authentication.test.ts, refusals of permissions in permissions.test.ts.
 */
export const refusals: readonly Row[] = [
  keys,
  apis,
  identities,
  names,
  rolesAndPermissions,
  ratelimits,
  credits,
  queries,
].flat();
