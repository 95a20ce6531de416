import type { Fixture } from "../../src/index.ts";
import { NOW } from "../_emulator.ts";
import type { Type } from "../_v2.ts";
import { fixtureOf, type Draft, type Mistake as MistakeInV1 } from "./_mistakes.ts";

export interface Mistake extends Omit<MistakeInV1, "code"> {
  /** Undefined where no operation refuses. */
  readonly type: Type | undefined;
}

/** The world of a draft, with the role that it names. */
export const fixtureOfV2 = (draft: Draft): Fixture => ({
  ...fixtureOf(draft),
  roles: [{ name: "known_role" }],
});

const INVALID = "unkey/application/invalid_input";
const NOT_FOUND = "unkey/data/api_not_found";

const without =
  (action: string) =>
  ({ token }: Draft): void => {
    token.permissions = token.permissions.filter((permission) => !permission.endsWith(action));
  };
const change =
  (make: (body: Record<string, unknown>) => void) =>
  ({ body }: Draft): void => {
    if (body !== undefined) make(body);
  };
const withMembers = (members: object) => change((body) => void Object.assign(body, members));

/** Mistakes that are found before the body is read. */
const beforeBody: readonly Mistake[] = [
  {
    name: "an unknown path",
    status: 404,
    type: undefined,
    names: "latchkey does not serve",
    make: (draft) => void (draft.path += "s"),
  },
  {
    name: "a wrong method",
    status: 405,
    type: undefined,
    names: "is called with POST",
    make: (draft) => void (draft.method = "PUT"),
  },
  {
    name: "no Authorization header",
    status: 400,
    type: INVALID,
    names: "Authorization header for 'bearer' scheme",
    excludes: {
      names: ["bearer in lower case", "an unknown token"],
      because: "a request has one Authorization header",
    },
    make: (draft) => void (draft.authorization = null),
  },
];

/** Mistakes of the body that end before its members are read. */
const ofBytes: readonly Mistake[] = [
  {
    name: "a body over 10 MiB",
    status: 413,
    type: "user/bad_request/request_body_too_large",
    names: "The request body is larger than 10485760 bytes.",
    make: ({ edits }) => void edits.push((text) => text + " ".repeat(10_485_761)),
  },
  {
    name: "another content type",
    status: 400,
    type: INVALID,
    names: "content type 'text/plain' does not exist",
    make: ({ headers }) => void (headers["Content-Type"] = "text/plain"),
  },
  {
    name: "a compressed body",
    status: 400,
    type: INVALID,
    names: "it is compressed (gzip)",
    excludes: { names: ["an empty body"], because: "nothing is left to be compressed" },
    make: ({ headers }) => void (headers["Content-Encoding"] = "gzip"),
  },
  {
    name: "an empty body",
    status: 400,
    type: INVALID,
    names: "POST request body is empty",
    make: ({ edits }) => void edits.unshift(() => ""),
  },
  {
    name: "a body that is cut off",
    status: 400,
    type: INVALID,
    names: "it is not valid JSON",
    make: ({ edits }) => void edits.unshift((text) => text.slice(0, -1)),
  },
];

const unknownMember: Mistake = {
  name: "a member that v2 does not know",
  status: 400,
  type: INVALID,
  names: "additional properties 'ownerId' not allowed",
  step: "schema",
  make: withMembers({ ownerId: "ann" }),
};

const ofToken: readonly Mistake[] = [
  {
    name: "bearer in lower case",
    status: 400,
    type: "unkey/authentication/malformed",
    names: "missing the 'Bearer ' prefix",
    excludes: { names: ["an unknown token"], because: "a request has one Authorization header" },
    make: (draft) => void (draft.authorization = "bearer root_token"),
  },
  {
    name: "an unknown token",
    status: 401,
    type: "unkey/authentication/key_not_found",
    names: "We could not find the requested key.",
    make: (draft) => void (draft.authorization = "Bearer stranger"),
  },
  {
    name: "a disabled workspace",
    status: 403,
    type: "unkey/authorization/workspace_disabled",
    names: "The workspace is disabled.",
    make: ({ workspace }) => void (workspace.enabled = false),
  },
  {
    name: "a disabled token",
    status: 403,
    type: "unkey/authorization/key_disabled",
    names: "The key is disabled.",
    make: ({ token }) => void (token.enabled = false),
  },
  {
    name: "an expired token",
    status: 403,
    type: "unkey/authorization/forbidden",
    names: "the key has expired on",
    make: ({ token }) => void (token.expires = NOW - 1),
  },
];

const unknownApi = (names: string): Mistake => ({
  name: "an unknown API",
  status: 404,
  type: NOT_FOUND,
  names,
  excludes: {
    names: [
      "an API without a keyspace",
      "an API that stores no encrypted keys",
      ...["create keys", "encrypt", "read keys", "read the API"].map(
        (right) => `no right to ${right}`,
      ),
    ],
    because: "a request names one API, and a missing right is answered as if there was none",
  },
  make: withMembers({ apiId: "api_none" }),
});
const encryptsNothing = (names: string): Mistake => ({
  name: "an API that stores no encrypted keys",
  status: 412,
  type: "unkey/application/precondition_failed",
  names,
  make: ({ api }) => void (api.storeEncryptedKeys = false),
});

const draftOf = (name: string, body: object, actions: readonly string[]): Draft => ({
  method: "POST",
  path: `/v2/${name}`,
  authorization: "Bearer root_token",
  headers: { "Content-Type": "application/json", Accept: "*/*" },
  query: [],
  body: { apiId: "api_one", ...body },
  edits: [],
  workspace: {},
  token: { permissions: actions.map((action) => `api.*.${action}`) },
  api: { storeEncryptedKeys: true },
});

/** A request that creates a key, with every part that a check looks at. */
export const creating = () =>
  draftOf(
    "keys.createKey",
    {
      byteLength: 20,
      externalId: "user_1",
      recoverable: true,
      credits: { remaining: 5, refill: { interval: "monthly", amount: 5, refillDay: 1 } },
      roles: ["known_role"],
      permissions: ["new_permission"],
    },
    ["create_key", "encrypt_key"],
  );

/** In the order of the checks: of two mistakes, the reply names the first. */
export const createMistakes: readonly Mistake[] = [
  ...beforeBody,
  ...ofBytes,
  {
    name: "too long a prefix",
    status: 400,
    type: INVALID,
    names: "/properties/prefix/maxLength",
    step: "schema",
    make: withMembers({ prefix: "x".repeat(17) }),
  },
  {
    name: "a rate limit without a window",
    status: 400,
    type: INVALID,
    names: "/properties/ratelimits/items/required",
    step: "schema",
    make: withMembers({ ratelimits: [{ name: "calls", limit: 1, autoApply: true }] }),
  },
  unknownMember,
  ...ofToken,
  unknownApi("The specified API was not found."),
  {
    name: "no right to create keys",
    status: 404,
    type: NOT_FOUND,
    names: "api.*.create_key",
    make: without(".create_key"),
  },
  {
    name: "an API without a keyspace",
    status: 412,
    type: "unkey/application/precondition_failed",
    names: "The requested API is not set up to handle keys.",
    make: ({ api }) => void (api.keyspace = false),
  },
  {
    name: "no right to encrypt",
    status: 404,
    type: NOT_FOUND,
    names: "api.*.encrypt_key",
    make: without(".encrypt_key"),
  },
  encryptsNothing("This API does not support key encryption."),
  {
    name: "a refill of an unlimited key",
    status: 400,
    type: INVALID,
    names: "`credits.remaining` must be provided",
    make: change(({ credits }) => void Object.assign(credits as object, { remaining: null })),
  },
  {
    name: "a monthly refill without a day",
    status: 400,
    type: INVALID,
    names: "`refillDay` must be provided",
    make: change(({ credits }) => {
      Object.assign(credits as object, { refill: { interval: "monthly", amount: 5 } });
    }),
  },
  {
    name: "a role that does not exist",
    status: 404,
    type: "unkey/data/role_not_found",
    names: "Role 'other_role' was not found.",
    make: withMembers({ roles: ["known_role", "other_role"] }),
  },
];

/** A request that lists keys, with every part that a check looks at. */
export const listing = () =>
  draftOf("apis.listKeys", { decrypt: true, limit: 10 }, ["read_key", "read_api", "decrypt_key"]);

/** In the order of the checks: of two mistakes, the reply names the first. */
export const listMistakes: readonly Mistake[] = [
  ...beforeBody,
  ...ofBytes,
  {
    name: "an empty external id",
    status: 400,
    type: INVALID,
    names: "/properties/externalId/minLength",
    step: "schema",
    make: withMembers({ externalId: "" }),
  },
  unknownMember,
  ...ofToken,
  unknownApi("The requested API does not exist or has been deleted."),
  {
    name: "an API without a keyspace",
    status: 500,
    type: "unkey/application/unexpected_error",
    names: "The API has no keyspace",
    make: ({ api }) => void (api.keyspace = false),
  },
  {
    name: "no right to read keys",
    status: 404,
    type: NOT_FOUND,
    names: "api.*.read_key",
    step: "permissions",
    make: without(".read_key"),
  },
  {
    name: "no right to read the API",
    status: 404,
    type: NOT_FOUND,
    names: "api.*.read_api",
    step: "permissions",
    make: without(".read_api"),
  },
  {
    name: "no right to decrypt",
    status: 403,
    type: "unkey/authorization/insufficient_permissions",
    names: "api.*.decrypt_key",
    make: without(".decrypt_key"),
  },
  encryptsNothing("The requested API does not support key encryption."),
];
