import { NOW } from "../_emulator.ts";
import type { Version } from "./_keys.ts";

// Calls without a mistake, and the mistakes that each can have, in the order of the checks.

/** A request and the state it is sent to. A mistake changes one thing in either. */
export interface Draft {
  method: string;
  path: string;
  authorization: string | null;
  headers: Record<string, string>;
  /** Parameters as they are sent. */
  query: string[];
  /** Members of the body; undefined where there is none. */
  body: Record<string, unknown> | undefined;
  /** Changes to the text of the body, in their order. */
  edits: ((text: string) => string)[];
  workspace: { enabled?: boolean };
  token: { permissions: string[]; enabled?: boolean; expires?: number };
  api: { keyspace?: boolean; storeEncryptedKeys: boolean };
}

type Make = (draft: Draft) => void;

export interface Mistake {
  readonly name: string;
  readonly status: number;
  /** The code of v1, or the last part of the type of v2. */
  readonly label: string;
  /** Text that the refusal contains. */
  readonly names: string;
  /** One refusal names all mistakes of one step, and none of later steps. */
  readonly step?: string;
  /** Other mistakes that one request cannot combine with this one, and why. */
  readonly excludes?: { readonly names: readonly string[]; readonly because: string };
  /** True if every operation of the version finds it before it reads its own input. */
  readonly isCommon?: boolean;
  readonly make: Make;
}

/** A call without a mistake. */
export function draftTo(path: string, input: object, permissions: readonly string[]): Draft {
  const isQuery = path === "/v1/keys.getKey" || path === "/v1/apis.listKeys";
  return {
    method: isQuery ? "GET" : "POST",
    path,
    authorization: "Bearer root_token",
    headers: { "Content-Type": "application/json", Accept: "*/*" },
    query: isQuery ? Object.entries(input).map(([name, value]) => `${name}=${value}`) : [],
    body: isQuery ? undefined : { ...input },
    edits: [],
    workspace: {},
    token: { permissions: [...permissions] },
    api: { storeEncryptedKeys: true },
  };
}

/** A call without a mistake, to the key `key_one`. */
export const draftOf = (path: string, input: object, permissions: readonly string[]): Draft =>
  draftTo(path, { keyId: "key_one", ...input }, permissions);

/** Changes members of the body or the query, or adds some to the body. */
export const withMembers = (members: object) => (draft: Draft) => {
  if (draft.body !== undefined) Object.assign(draft.body, members);
  for (const [name, value] of Object.entries(members)) {
    const isOther = (text: string) => !text.startsWith(`${name}=`);
    draft.query = draft.query.map((text) => (isOther(text) ? text : `${name}=${value}`));
  }
};

/** Takes away the permissions that end like this. */
export const without =
  (...actions: string[]) =>
  ({ token }: Draft): void => {
    token.permissions = token.permissions.filter((permission) =>
      actions.every((action) => !permission.endsWith(action)),
    );
  };

const withToken = (authorization: string | null) => (draft: Draft) =>
  void (draft.authorization = authorization);
const withParameter = (text: string) => (draft: Draft) => void draft.query.push(text);
const withEdit = (edit: Draft["edits"][number], isFirst: boolean) => (draft: Draft) =>
  void (isFirst ? draft.edits.unshift(edit) : draft.edits.push(edit));

/** How a version refuses a mistake, and how a call of that version makes it, if versions differ. */
type Refused = readonly [status: number, label: string, names: string, own?: Make | undefined];

interface Row extends Pick<Mistake, "step" | "excludes"> {
  readonly v1?: Refused;
  readonly v2?: Refused;
  readonly make?: Make;
}

const INVALID = "unkey/application/invalid_input";
const UNFIT = "unkey/application/precondition_failed";
const NO_API = "unkey/data/api_not_found";
const FORBIDDEN = "INSUFFICIENT_PERMISSIONS";

const badRequest = (names: string, own?: Make): Refused => [400, "BAD_REQUEST", names, own];
const invalidInput = (names: string, own?: Make): Refused => [400, INVALID, names, own];

const oneHeader = "a request has one Authorization header";

/** The lack of a permission that v2 does not tell from the lack of the API. */
const noRight = (action: string, step?: string): Row => ({
  v1: [403, FORBIDDEN, `api.*.${action}`],
  v2: [404, NO_API, `api.*.${action}`],
  ...(step === undefined ? {} : { step }),
  make: without(`.${action}`),
});

/** The lack of a permission of v1 to create what a new key names. */
const noRightToCreate = (noun: string): Row => ({
  v1: [
    403,
    FORBIDDEN,
    `rbac.*.create_${noun} (because the ${noun} "new_${noun}" does not exist yet)`,
  ],
  step: "names",
  make: without(`.create_${noun}`),
});

/** Every mistake, and its refusals. */
const rows: Readonly<Record<string, Row>> = {
  "an unknown path": {
    v1: [404, "NOT_FOUND", "latchkey does not serve"],
    v2: [404, "about:blank", "latchkey does not serve"],
    make: (draft) => void (draft.path += "s"),
  },
  "a wrong method": {
    v1: [405, "METHOD_NOT_ALLOWED", "is called with"],
    v2: [405, "about:blank", "is called with POST"],
    make: (draft) => void (draft.method = "PUT"),
  },
  "no Authorization header": {
    v1: [401, "UNAUTHORIZED", "authorization: expected the header"],
    v2: invalidInput("Authorization header for 'bearer' scheme"),
    excludes: {
      names: ["a token with a space", "bearer in lower case", "an unknown token"],
      because: oneHeader,
    },
    make: withToken(null),
  },
  "a token with a space": {
    v1: [401, "UNAUTHORIZED", "a token that contains a space"],
    excludes: { names: ["an unknown token"], because: oneHeader },
    make: withToken("Bearer root_token root_token"),
  },
  "bearer in lower case": {
    v2: [400, "unkey/authentication/malformed", "missing the 'Bearer ' prefix"],
    excludes: { names: ["an unknown token"], because: oneHeader },
    make: withToken("bearer root_token"),
  },
  "an unknown token": {
    v1: [401, "UNAUTHORIZED", "authorization: the token is not known"],
    v2: [401, "unkey/authentication/key_not_found", "We could not find the requested key."],
    make: withToken("Bearer stranger"),
  },
  "a disabled workspace": {
    v1: [403, "FORBIDDEN", "authorization: the workspace of the token is disabled"],
    v2: [403, "unkey/authorization/workspace_disabled", "The workspace is disabled."],
    make: ({ workspace }) => void (workspace.enabled = false),
  },
  "a disabled token": {
    v1: [403, "DISABLED", "authorization: the token is disabled"],
    v2: [403, "unkey/authorization/key_disabled", "The key is disabled."],
    make: ({ token }) => void (token.enabled = false),
  },
  "an expired token": {
    v1: [403, "EXPIRED", "authorization: the token has expired"],
    v2: [403, "unkey/authorization/forbidden", "the key has expired on"],
    make: ({ token }) => void (token.expires = NOW - 1),
  },
  "too large a body": {
    v1: [
      413,
      "BAD_REQUEST",
      "body: expected at most 1048576 bytes",
      withEdit((text) => text + " ".repeat(1_048_576), false),
    ],
    v2: [
      413,
      "user/bad_request/request_body_too_large",
      "The request body is larger than 10485760 bytes.",
      withEdit((text) => text + " ".repeat(10_485_761), false),
    ],
  },
  "a compressed body": {
    v1: [
      415,
      "BAD_REQUEST",
      "content-encoding: expected identity, a body that is not compressed, got gzip",
    ],
    v2: invalidInput("it is compressed (gzip)"),
    excludes: { names: ["an empty body"], because: "nothing is left to be compressed" },
    make: ({ headers }) => void (headers["Content-Encoding"] = "gzip"),
  },
  "another content type": {
    v1: badRequest("content-type: expected application/json"),
    v2: invalidInput("content type 'text/plain' does not exist"),
    make: ({ headers }) => void (headers["Content-Type"] = "text/plain"),
  },
  "an empty body": {
    v2: invalidInput("POST request body is empty"),
    make: withEdit(() => "", true),
  },
  "a body that is cut off": {
    v1: badRequest("body: expected a JSON object, got malformed JSON"),
    v2: invalidInput("it is not valid JSON"),
    make: withEdit((text) => text.slice(0, -1), true),
  },
  "broken percent-encoding": {
    v1: badRequest("ownerId: expected percent-encoding"),
    make: withParameter("ownerId=%zz"),
  },
  "a parameter given twice": {
    v1: badRequest("decrypt: expected once"),
    make: withParameter("decrypt=true"),
  },
  "a member that v2 does not know": {
    v2: invalidInput("additional properties 'ownerId' not allowed"),
    step: "schema",
    make: withMembers({ ownerId: "ann" }),
  },
  "too long a prefix": {
    v1: badRequest("prefix: expected"),
    v2: invalidInput("/properties/prefix/maxLength"),
    step: "schema",
    make: withMembers({ prefix: "x".repeat(17) }),
  },
  "too small a byteLength": {
    v1: badRequest("byteLength: expected"),
    v2: invalidInput("/properties/byteLength/minimum"),
    step: "schema",
    make: withMembers({ byteLength: 1 }),
  },
  "a rate limit without a window": {
    v1: badRequest("ratelimit.duration: expected", withMembers({ ratelimit: { limit: 1 } })),
    v2: invalidInput(
      "/properties/ratelimits/items/required",
      withMembers({ ratelimits: [{ name: "calls", limit: 1, autoApply: true }] }),
    ),
    step: "schema",
  },
  "an empty external id": {
    v2: invalidInput("/properties/externalId/minLength"),
    step: "schema",
    make: withMembers({ externalId: "" }),
  },
  "too large a limit": {
    v1: badRequest("limit: expected"),
    step: "schema",
    make: withParameter("limit=101"),
  },
  "a cursor that no page returned": {
    v1: badRequest("cursor: expected"),
    step: "schema",
    make: withParameter("cursor=x"),
  },
  "an unknown API": {
    v1: [404, "NOT_FOUND", '"api_none"'],
    v2: [404, NO_API, 'there is no API "api_none"'],
    excludes: {
      names: [
        "an API without a keyspace",
        "an API to list without a keyspace",
        "an API that stores no encrypted keys",
      ],
      because: "a request names one API",
    },
    make: withMembers({ apiId: "api_none" }),
  },
  "an API without a keyspace": {
    v1: [412, "PRECONDITION_FAILED", "apiId: the API has no keyspace"],
    v2: [412, UNFIT, "The requested API is not set up to handle keys."],
    make: ({ api }) => void (api.keyspace = false),
  },
  "an API to list without a keyspace": {
    v2: [500, "unkey/application/unexpected_error", "The API has no keyspace"],
    make: ({ api }) => void (api.keyspace = false),
  },
  "an API that stores no encrypted keys": {
    v1: [412, "PRECONDITION_FAILED", "recoverable: the API does not store encrypted keys"],
    v2: [412, UNFIT, "does not support key encryption."],
    make: ({ api }) => void (api.storeEncryptedKeys = false),
  },
  "no right to create keys": noRight("create_key"),
  "no right to read keys": noRight("read_key", "permissions"),
  "no right to read the API": noRight("read_api", "permissions"),
  "no right to encrypt": noRight("encrypt_key"),
  "no right to decrypt": {
    v1: [403, "UNAUTHORIZED", "api.*.decrypt_key"],
    v2: [403, "unkey/authorization/insufficient_permissions", "api.*.decrypt_key"],
    make: without(".decrypt_key"),
  },
  "no right to create permissions": noRightToCreate("permission"),
  "no right to create roles": noRightToCreate("role"),
  "remaining 0": {
    v1: badRequest("remaining: expected an integer of at least 1, got 0"),
    step: "uses",
    excludes: { names: ["a refill of an unlimited key"], because: "0 is a number of uses" },
    make: withMembers({ remaining: 0 }),
  },
  "a refill of an unlimited key": {
    v1: badRequest("remaining: expected a number of uses", withMembers({ remaining: undefined })),
    v2: invalidInput("`credits.remaining` must be provided", ({ body }) => {
      Object.assign(body?.["credits"] as object, { remaining: null });
    }),
    step: "uses",
  },
  "a daily refill with a day": {
    v1: badRequest("refill.refillDay: expected no day"),
    step: "uses",
    make: withMembers({ refill: { interval: "daily", amount: 5, refillDay: 3 } }),
  },
  "a monthly refill without a day": {
    v2: invalidInput("`refillDay` must be provided"),
    make: ({ body }) => {
      Object.assign(body?.["credits"] as object, { refill: { interval: "monthly", amount: 5 } });
    },
  },
  "a role that does not exist": {
    v2: [404, "unkey/data/role_not_found", "Role 'other_role' was not found."],
    make: withMembers({ roles: ["known_role", "other_role"] }),
  },
};

function mistake(version: Version, name: string): Mistake {
  const { [version]: refused, make, ...rest } = rows[name] ?? {};
  const [status, label, names, own = make] = refused ?? [];
  if (status === undefined || label === undefined || names === undefined || own === undefined) {
    throw new Error(`No mistake of ${version} is called "${name}".`);
  }
  return { name, status, label, names, make: own, ...rest };
}

const ofVersion = (version: Version, ...names: readonly string[]): Mistake[] =>
  names.map((name) => mistake(version, name));

const ofRoute = ["an unknown path", "a wrong method", "no Authorization header"];
const ofAccess = [
  "an unknown token",
  "a disabled workspace",
  "a disabled token",
  "an expired token",
];

/** The mistakes that every operation of v1 finds before it reads its input. */
const ofEveryCallOfV1 = [...ofRoute, "a token with a space", ...ofAccess];
const ofEveryPostOfV1 = [
  ...ofEveryCallOfV1,
  "too large a body",
  "a compressed body",
  "another content type",
  "a body that is cut off",
];
const ofEveryGetOfV1 = [...ofEveryCallOfV1, "broken percent-encoding", "a parameter given twice"];

/** Those that every operation of v2 finds, with what the schema of one finds among them. */
const ofEveryCallOfV2 = (...bySchema: readonly string[]) => [
  ...ofRoute,
  "too large a body",
  "another content type",
  "a compressed body",
  "an empty body",
  "a body that is cut off",
  ...bySchema,
  "a member that v2 does not know",
  "bearer in lower case",
  ...ofAccess,
];

const badNewKey = ["too long a prefix", "too small a byteLength", "a rate limit without a window"];

/**
 * The mistakes in a call of an operation of v2, in the order of the checks, up to those that it finds
 * when it runs.
 * @param bySchema those that the schema of its input finds
 */
export function mistakesOfV2(bySchema: readonly Mistake[]): Mistake[] {
  const common = ofVersion("v2", ...ofEveryCallOfV2()).map((each) => ({ ...each, isCommon: true }));
  const at = common.findIndex(({ step }) => step === "schema");
  return [...common.slice(0, at), ...bySchema, ...common.slice(at)];
}

/** A call that creates a key, with every part that a check looks at. */
export function creating(version: Version): Draft {
  const refill = { interval: "monthly", amount: 5 };
  const uses = {
    v1: { remaining: 5, refill, roles: ["new_role"] },
    v2: { credits: { remaining: 5, refill: { ...refill, refillDay: 1 } }, roles: ["known_role"] },
  };
  const rights = ["api.*.create_key", "api.*.encrypt_key"];
  if (version === "v1") rights.push("rbac.*.create_permission", "rbac.*.create_role");
  const members = { externalId: "user_1", recoverable: true, permissions: ["new_permission"] };
  const input = { apiId: "api_one", byteLength: 20, ...members, ...uses[version] };
  return draftTo(`/${version}/keys.createKey`, input, rights);
}

/** In the order of the checks: of two mistakes, the refusal names the first. */
export const createMistakes: Readonly<Record<Version, readonly Mistake[]>> = {
  v1: ofVersion(
    "v1",
    ...ofEveryPostOfV1,
    ...badNewKey,
    "no right to create keys",
    "an unknown API",
    "an API without a keyspace",
    "an API that stores no encrypted keys",
    "remaining 0",
    "a refill of an unlimited key",
    "a daily refill with a day",
    "no right to create permissions",
    "no right to create roles",
    "no right to encrypt",
  ),
  v2: ofVersion(
    "v2",
    ...ofEveryCallOfV2(...badNewKey),
    "no right to create keys",
    "an API without a keyspace",
    "no right to encrypt",
    "an unknown API",
    "an API that stores no encrypted keys",
    "a refill of an unlimited key",
    "a monthly refill without a day",
    "a role that does not exist",
  ),
};

/** A call that lists keys, with every part that a check looks at. */
export function listing(version: Version): Draft {
  const more = version === "v1" ? {} : { limit: 10 };
  const rights = ["read_key", "read_api", "decrypt_key"].map((action) => `api.*.${action}`);
  return draftTo(`/${version}/apis.listKeys`, { apiId: "api_one", decrypt: true, ...more }, rights);
}

/** In the order of the checks: of two mistakes, the refusal names the first. */
export const listMistakes: Readonly<Record<Version, readonly Mistake[]>> = {
  v1: ofVersion(
    "v1",
    ...ofEveryGetOfV1,
    "too large a limit",
    "a cursor that no page returned",
    "no right to read keys",
    "no right to read the API",
    "an unknown API",
    "an API without a keyspace",
    "no right to decrypt",
  ),
  v2: ofVersion(
    "v2",
    ...ofEveryCallOfV2("an empty external id"),
    "an API to list without a keyspace",
    "no right to read keys",
    "no right to read the API",
    "an unknown API",
    "no right to decrypt",
    "an API that stores no encrypted keys",
  ),
};

const ofKeys = {
  v1: { badRequest: "BAD_REQUEST", forbidden: FORBIDDEN, notFound: "NOT_FOUND" },
  v2: {
    badRequest: INVALID,
    forbidden: "unkey/authorization/insufficient_permissions",
    notFound: "unkey/data/key_not_found",
  },
} as const;

/** A mistake of one operation. */
export const own = (
  name: string,
  [status, label]: readonly [number, string],
  names: string,
  make: Make,
  more: Pick<Mistake, "step" | "excludes"> = {},
): Mistake => ({ name, status, label, names, make, ...more });

export const invalid = (version: Version, name: string, names: string, make: Make): Mistake =>
  own(name, [400, ofKeys[version].badRequest], names, make);

/** A mistake that the schema refuses. */
type OfSchema = Pick<Mistake, "names" | "make">;

/** The mistakes that a call is refused for before its operation runs, in the order of the checks. */
export function mistakesBefore(
  version: Version,
  { make, names }: OfSchema,
  isQuery = false,
): Mistake[] {
  const bySchema = {
    ...invalid(version, "a member with a wrong value", names, make),
    step: "schema",
  };
  const ofV1 = isQuery ? ofEveryGetOfV1 : ofEveryPostOfV1;
  const common = ofVersion(version, ...(version === "v1" ? ofV1 : ofEveryCallOfV2())).map(
    (each) => ({ ...each, isCommon: true }),
  );
  const place = common.findIndex(({ step }) => step === "schema");
  return common.toSpliced(place === -1 ? common.length : place, 0, bySchema as (typeof common)[0]);
}

/** The mistakes in a call of every operation on a key, in the order of the checks. */
export function mistakesOf(
  version: Version,
  {
    action,
    isQuery = false,
    ofAnother = { status: 404, label: ofKeys[version].notFound, names: '"key_other"' },
    schema,
  }: {
    readonly action: string;
    readonly isQuery?: boolean;
    /** How a key of another workspace is refused. Default: as if there was none. */
    readonly ofAnother?: Pick<Mistake, "status" | "label" | "names">;
    readonly schema: OfSchema;
  },
): Mistake[] {
  const { forbidden, notFound } = ofKeys[version];
  return [
    ...mistakesBefore(version, schema, isQuery),
    own("an unknown key", [404, notFound], '"key_none"', withMembers({ keyId: "key_none" }), {
      excludes: { names: ["a key of another workspace"], because: "a call names one key" },
    }),
    { name: "a key of another workspace", ...ofAnother, make: withMembers({ keyId: "key_other" }) },
    own(`no right to ${action}`, [403, forbidden], `api.*.${action}`, without(`.${action}`)),
  ];
}

/** A call that migrates keys, with every part that a check looks at. */
export function migrating(): Draft {
  const refill = { interval: "monthly", amount: 5, refillDay: 1 };
  const key = { hash: "some_hash", externalId: "user_1", roles: ["new_role"] };
  const keys = [{ hash: "first_hash" }, { ...key, credits: { remaining: 5, refill } }];
  const input = { migrationId: "mig_one", apiId: "api_one", keys };
  return draftTo("/v2/keys.migrateKeys", input, ["api.*.create_key"]);
}

/** Changes members of the last key of a call. */
const withLastKey = (members: object) => (draft: Draft) => {
  const keys = draft.body?.["keys"] as readonly object[];
  const last = { ...keys.at(-1), ...members };
  Object.assign(draft.body as object, { keys: [...keys.slice(0, -1), last] });
};

const monthly = { remaining: 5, refill: { interval: "monthly", amount: 5 } };

/** In the order of the checks: of two mistakes, the refusal names the first. */
export const migrateMistakes: readonly Mistake[] = [
  ...ofVersion("v2", ...ofEveryCallOfV2()).toSpliced(8, 0, {
    ...invalid("v2", "an empty name", "/properties/name/minLength", withLastKey({ name: "" })),
    step: "schema",
  }),
  own(
    "no right to create keys",
    [403, ofKeys.v2.forbidden],
    "api.*.create_key",
    without(".create_key"),
  ),
  mistake("v2", "an unknown API"),
  mistake("v2", "an API without a keyspace"),
  own(
    "an unknown migration",
    [404, "unkey/data/migration_not_found"],
    '"mig_none"',
    withMembers({ migrationId: "mig_none" }),
  ),
  invalid("v2", "a monthly refill without a day", "`refillDay`", withLastKey({ credits: monthly })),
];
