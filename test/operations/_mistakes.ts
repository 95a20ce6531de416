import type { Fixture } from "../../src/index.ts";
import { NOW } from "../_emulator.ts";

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

export interface Mistake {
  readonly name: string;
  readonly status: number;
  readonly code: string;
  /** Text that the message contains. */
  readonly names: string;
  /** One refusal names all mistakes of one step, and none of later steps. */
  readonly step?: string;
  /** Later mistakes that one request cannot combine with this one, and why. */
  readonly excludes?: { readonly names: readonly string[]; readonly because: string };
  /** True if msw does not pass the request on to latchkey. */
  readonly isUnhandledByMsw?: boolean;
  make(draft: Draft): void;
}

export const fixtureOf = ({ api, token, workspace }: Draft): Fixture => ({
  workspace: { id: "ws_one", ...workspace },
  tokens: [{ token: "root_token", ...token }],
  apis: [{ id: "api_one", ...api }],
});

export function requestOf(draft: Draft): Request {
  const { authorization, body, edits, headers, method, path, query } = draft;
  let text = body && JSON.stringify(body);
  if (text !== undefined) for (const edit of edits) text = edit(text);
  const search = query.length === 0 ? "" : `?${query.join("&")}`;
  return new Request(`http://emulator.test${path}${search}`, {
    method,
    headers: { ...headers, ...(authorization === null ? {} : { Authorization: authorization }) },
    body: text ?? null,
  });
}

const without = (...actions: string[]) => {
  const isKept = (permission: string) => actions.every((action) => !permission.endsWith(action));
  return ({ token }: Draft) => void (token.permissions = token.permissions.filter(isKept));
};
const oneHeader = "a request has one Authorization header";
const oneApi = "a request names one API";

/** Mistakes that are found before the operation's input is read. */
const beforeInput: readonly Mistake[] = [
  {
    name: "an unknown path",
    status: 404,
    code: "NOT_FOUND",
    names: "serve",
    isUnhandledByMsw: true,
    make: (draft) => void (draft.path += "s"),
  },
  {
    name: "a wrong method",
    status: 405,
    code: "METHOD_NOT_ALLOWED",
    names: "is called with",
    make: (draft) => void (draft.method = "PUT"),
  },
  {
    name: "no token",
    status: 401,
    code: "UNAUTHORIZED",
    names: "authorization: expected the header",
    excludes: { names: ["a token with a space", "an unknown token"], because: oneHeader },
    make: (draft) => void (draft.authorization = null),
  },
  {
    name: "a token with a space",
    status: 401,
    code: "UNAUTHORIZED",
    names: "a token that contains a space",
    excludes: { names: ["an unknown token"], because: oneHeader },
    make: (draft) => void (draft.authorization = "Bearer root_token root_token"),
  },
  {
    name: "an unknown token",
    status: 401,
    code: "UNAUTHORIZED",
    names: "authorization: the token is not known",
    make: (draft) => void (draft.authorization = "Bearer stranger"),
  },
  {
    name: "a disabled workspace",
    status: 403,
    code: "FORBIDDEN",
    names: "authorization: the workspace of the token is disabled",
    make: ({ workspace }) => void (workspace.enabled = false),
  },
  {
    name: "a disabled token",
    status: 403,
    code: "DISABLED",
    names: "authorization: the token is disabled",
    make: ({ token }) => void (token.enabled = false),
  },
  {
    name: "an expired token",
    status: 403,
    code: "EXPIRED",
    names: "authorization: the token has expired",
    make: ({ token }) => void (token.expires = NOW - 1),
  },
];

const noKeyspace: Mistake = {
  name: "an API without a keyspace",
  status: 412,
  code: "PRECONDITION_FAILED",
  names: "apiId: the API has no keyspace",
  make: ({ api }) => void (api.keyspace = false),
};

/** A request that creates a key, with every part that a check looks at. */
export const creating = (): Draft => ({
  method: "POST",
  path: "/v1/keys.createKey",
  authorization: "Bearer root_token",
  headers: { "Content-Type": "application/json" },
  query: [],
  body: {
    apiId: "api_one",
    externalId: "user_1",
    recoverable: true,
    remaining: 5,
    refill: { interval: "monthly", amount: 5 },
    roles: ["new_role"],
    permissions: ["new_permission"],
  },
  edits: [],
  workspace: {},
  token: {
    permissions: [
      "api.*.create_key",
      "api.*.encrypt_key",
      "rbac.*.create_permission",
      "rbac.*.create_role",
    ],
  },
  api: { storeEncryptedKeys: true },
});

const inBody = (members: object) => (draft: Draft) => void Object.assign(draft.body ?? {}, members);

/** In the order of the checks: of two mistakes, the reply names the first. */
export const createMistakes: readonly Mistake[] = [
  ...beforeInput,
  {
    name: "a body over 1 MiB",
    status: 413,
    code: "BAD_REQUEST",
    names: "body: expected at most 1048576 bytes",
    make: ({ edits }) => void edits.push((text) => text + " ".repeat(1_048_576)),
  },
  {
    name: "a compressed body",
    status: 415,
    code: "BAD_REQUEST",
    names: "content-encoding: expected identity, a body that is not compressed, got gzip",
    make: ({ headers }) => void (headers["Content-Encoding"] = "gzip"),
  },
  {
    name: "another content type",
    status: 400,
    code: "BAD_REQUEST",
    names: "content-type: expected application/json",
    make: ({ headers }) => void (headers["Content-Type"] = "text/plain"),
  },
  {
    name: "a body that is cut off",
    status: 400,
    code: "BAD_REQUEST",
    names: "body: expected a JSON object, got malformed JSON",
    make: ({ edits }) => void edits.unshift((text) => text.slice(0, -1)),
  },
  {
    name: "too small a byteLength",
    status: 400,
    code: "BAD_REQUEST",
    names: "byteLength: expected",
    step: "body",
    make: inBody({ byteLength: 1 }),
  },
  {
    name: "a rate limit without a window",
    status: 400,
    code: "BAD_REQUEST",
    names: "ratelimit.duration: expected",
    step: "body",
    make: inBody({ ratelimit: { limit: 1 } }),
  },
  {
    name: "no right to create keys",
    status: 403,
    code: "INSUFFICIENT_PERMISSIONS",
    names: "api.*.create_key",
    make: without(".create_key"),
  },
  {
    name: "an unknown API",
    status: 404,
    code: "NOT_FOUND",
    names: '"api_none"',
    excludes: {
      names: ["an API without a keyspace", "an API that stores no encrypted keys"],
      because: oneApi,
    },
    make: inBody({ apiId: "api_none" }),
  },
  noKeyspace,
  {
    name: "an API that stores no encrypted keys",
    status: 412,
    code: "PRECONDITION_FAILED",
    names: "recoverable: the API does not store encrypted keys",
    make: ({ api }) => void (api.storeEncryptedKeys = false),
  },
  {
    name: "remaining 0",
    status: 400,
    code: "BAD_REQUEST",
    names: "remaining: expected an integer of at least 1, got 0",
    step: "uses",
    excludes: { names: ["a refill without remaining"], because: "0 is a number of uses" },
    make: inBody({ remaining: 0 }),
  },
  {
    name: "a refill without remaining",
    status: 400,
    code: "BAD_REQUEST",
    names: "remaining: expected a number of uses",
    step: "uses",
    make: inBody({ remaining: undefined }),
  },
  {
    name: "a daily refill with a day",
    status: 400,
    code: "BAD_REQUEST",
    names: "refill.refillDay: expected no day",
    step: "uses",
    make: inBody({ refill: { interval: "daily", amount: 5, refillDay: 3 } }),
  },
  {
    name: "no right to create permissions",
    status: 403,
    code: "INSUFFICIENT_PERMISSIONS",
    names: 'rbac.*.create_permission (because the permission "new_permission" does not exist yet)',
    step: "names",
    make: without(".create_permission"),
  },
  {
    name: "no right to create roles",
    status: 403,
    code: "INSUFFICIENT_PERMISSIONS",
    names: 'rbac.*.create_role (because the role "new_role" does not exist yet)',
    step: "names",
    make: without(".create_role"),
  },
  {
    name: "no right to encrypt",
    status: 403,
    code: "INSUFFICIENT_PERMISSIONS",
    names: "api.*.encrypt_key",
    make: without(".encrypt_key"),
  },
];

/** A request that lists keys, with every part that a check looks at. */
export const listing = (): Draft => ({
  method: "GET",
  path: "/v1/apis.listKeys",
  authorization: "Bearer root_token",
  headers: {},
  query: ["apiId=api_one", "decrypt=true"],
  body: undefined,
  edits: [],
  workspace: {},
  token: { permissions: ["api.*.read_key", "api.*.read_api", "api.*.decrypt_key"] },
  api: { storeEncryptedKeys: true },
});

const parameter = (text: string) => (draft: Draft) => void draft.query.push(text);

/** In the order of the checks: of two mistakes, the reply names the first. */
export const listMistakes: readonly Mistake[] = [
  ...beforeInput,
  {
    name: "broken percent-encoding",
    status: 400,
    code: "BAD_REQUEST",
    names: "ownerId: expected percent-encoding",
    make: parameter("ownerId=%zz"),
  },
  {
    name: "a parameter given twice",
    status: 400,
    code: "BAD_REQUEST",
    names: "decrypt: expected once",
    make: parameter("decrypt=true"),
  },
  {
    name: "too large a limit",
    status: 400,
    code: "BAD_REQUEST",
    names: "limit: expected",
    step: "query",
    make: parameter("limit=101"),
  },
  {
    name: "a cursor that no page returned",
    status: 400,
    code: "BAD_REQUEST",
    names: "cursor: expected",
    step: "query",
    make: parameter("cursor=x"),
  },
  {
    name: "no right to read keys",
    status: 403,
    code: "INSUFFICIENT_PERMISSIONS",
    names: "api.*.read_key",
    step: "permissions",
    make: without(".read_key"),
  },
  {
    name: "no right to read the API",
    status: 403,
    code: "INSUFFICIENT_PERMISSIONS",
    names: "api.*.read_api",
    step: "permissions",
    make: without(".read_api"),
  },
  {
    name: "an unknown API",
    status: 404,
    code: "NOT_FOUND",
    names: '"api_none"',
    excludes: { names: ["an API without a keyspace"], because: oneApi },
    make: (draft) => void (draft.query = draft.query.map((text) => text.replace("_one", "_none"))),
  },
  noKeyspace,
  {
    name: "no right to decrypt",
    status: 403,
    code: "UNAUTHORIZED",
    names: "api.*.decrypt_key",
    make: without(".decrypt_key"),
  },
];
