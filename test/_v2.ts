import { expect } from "vitest";
import { post, REQUEST_ID, type Answer, type CallOptions, type Door } from "./_emulator.ts";

/** POST keys.createKey of v2 that accepts any content type in reply, like curl and `fetch`. */
export function createKeyV2(door: Door, body: unknown, options?: CallOptions): Promise<Answer> {
  return post(door, "/v2/keys.createKey", body, acceptingAll(options));
}

/** POST apis.listKeys of v2. */
export function listKeysV2(door: Door, body: unknown, options?: CallOptions): Promise<Answer> {
  return post(door, "/v2/apis.listKeys", body, acceptingAll(options));
}

/** Every key of an API as v2 shows it, page after page. */
export async function listAllV2(
  door: Door,
  query: object,
  options?: CallOptions,
): Promise<{ keyId: string; [member: string]: unknown }[]> {
  const keys: { keyId: string }[] = [];
  for (let cursor: string | undefined; ;) {
    const { body } = await listKeysV2(door, { ...query, cursor }, options);
    keys.push(...body.data);
    if (!body.pagination.hasMore) return keys;
    cursor = body.pagination.cursor;
  }
}

/** An Accept header that lets v2 answer with `application/problem+json`. */
export function acceptingAll({ headers, ...rest }: CallOptions = {}): CallOptions {
  return { ...rest, headers: { Accept: "*/*", ...headers } };
}

const titles = {
  "unkey/application/invalid_input": "Bad Request",
  "unkey/authentication/malformed": "Bad Request",
  "unkey/authentication/key_not_found": "Unauthorized",
  "unkey/authorization/forbidden": "Forbidden",
  "unkey/authorization/key_disabled": "Key is disabled",
  "unkey/authorization/workspace_disabled": "Workspace is disabled",
  "unkey/authorization/insufficient_permissions": "Insufficient Permissions",
  "unkey/data/api_not_found": "Not Found",
  "unkey/data/key_not_found": "Not Found",
  "unkey/data/role_not_found": "Not Found",
  "unkey/data/permission_not_found": "Not Found",
  "unkey/data/permission_already_exists": "Conflicting Resource",
  "unkey/data/role_already_exists": "Conflicting Resource",
  "unkey/data/identity_not_found": "Not Found",
  "unkey/data/identity_already_exists": "Conflicting Resource",
  "unkey/data/migration_not_found": "Not Found",
  "unkey/data/ratelimit_namespace_not_found": "Not Found",
  "unkey/data/ratelimit_override_not_found": "Not Found",
  "unkey/data/ratelimit_namespace_gone": "Resource Gone",
  "unkey/application/precondition_failed": "Precondition Failed",
  "unkey/application/protected_resource": "Resource is protected",
  "user/bad_request/request_body_too_large": "Request Entity Too Large",
  "unkey/application/unexpected_error": "Internal Server Error",
  "user/bad_request/permissions_query_syntax_error": "Bad Request",
} as const;

type Type = keyof typeof titles;

export interface Refusal {
  readonly status: number;
  readonly type: Type;
  readonly detail: string;
  /** Default: none. With the statuses 400 and 413, the reply then has an empty list. */
  readonly errors?: readonly object[];
}

/** A refusal by the schema of an operation. */
export function schemaRefusal(path: string, errors: readonly object[]): Refusal {
  const detail = `POST request body for '${path}' failed to validate schema`;
  return { status: 400, type: "unkey/application/invalid_input", detail, errors };
}

/** The refusal of a request without the header `Authorization`. */
export const missingHeader: Refusal = {
  status: 400,
  type: "unkey/application/invalid_input",
  detail: "Authorization header for 'bearer' scheme",
  errors: [
    {
      location: "security",
      message: "Authorization header was not found",
      fix: "Add an 'Authorization' header to this request",
    },
  ],
};

/**
 * Expects exactly this refusal: status, content type, and every member of the body in the order of
 * the wire. Schemas refuse with plain JSON, everything else with problem+json where it is accepted.
 */
export function expectRefusal(answer: Answer, { detail, errors = [], status, type }: Refusal) {
  const { requestId } = answer.body.meta;
  const error = {
    detail,
    ...(status === 400 || status === 413 ? { errors } : {}),
    status,
    title: titles[type],
    type: `https://unkey.com/docs/errors/${type}`,
  };
  expect(answer.body).toEqual({ error, meta: { requestId } });
  expect(JSON.stringify(answer.body)).toBe(JSON.stringify({ error, meta: { requestId } }));
  expect(answer.status).toBe(status);
  expect(answer.headers.get("content-type")).toBe(
    errors.length > 0 ? "application/json" : "application/problem+json",
  );
  expect(requestId).toMatch(REQUEST_ID);
  expect(answer.headers.get("unkey-request-id")).toBeNull();
  expect(answer.headers.get("www-authenticate")).toBeNull();
}
