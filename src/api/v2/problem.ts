import * as z from "zod/mini";
import * as f from "../../schema/fields.ts";
import type { Violation } from "./violations.ts";

interface ProblemSource {
  readonly code: string;
  readonly message: string;
  readonly status: number;
  readonly type: ProblemType | undefined;
  readonly violations: readonly Violation[];
}

type Kind = readonly [status: number, title: string];

/** The types of problems that the service sends, with the status and title of each. */
const kinds = {
  "unkey/application/invalid_input": [400, "Bad Request"],
  "unkey/authentication/malformed": [400, "Bad Request"],
  "user/bad_request/permissions_query_syntax_error": [400, "Bad Request"],
  "unkey/authentication/key_not_found": [401, "Unauthorized"],
  "unkey/authorization/forbidden": [403, "Forbidden"],
  "unkey/authorization/key_disabled": [403, "Key is disabled"],
  "unkey/authorization/workspace_disabled": [403, "Workspace is disabled"],
  "unkey/authorization/insufficient_permissions": [403, "Insufficient Permissions"],
  "unkey/data/api_not_found": [404, "Not Found"],
  "unkey/data/key_not_found": [404, "Not Found"],
  "unkey/data/role_not_found": [404, "Not Found"],
  "unkey/data/permission_not_found": [404, "Not Found"],
  "unkey/data/identity_not_found": [404, "Not Found"],
  "unkey/data/migration_not_found": [404, "Not Found"],
  "unkey/data/workspace_not_found": [404, "Not Found"],
  "unkey/data/ratelimit_namespace_not_found": [404, "Not Found"],
  "unkey/data/ratelimit_override_not_found": [404, "Not Found"],
  "user/bad_request/request_timeout": [408, "Request Timeout"],
  "unkey/data/identity_already_exists": [409, "Conflicting Resource"],
  "unkey/data/permission_already_exists": [409, "Conflicting Resource"],
  "unkey/data/role_already_exists": [409, "Conflicting Resource"],
  "unkey/data/ratelimit_namespace_gone": [410, "Resource Gone"],
  "unkey/application/precondition_failed": [412, "Precondition Failed"],
  "unkey/application/protected_resource": [412, "Resource is protected"],
  "user/bad_request/request_body_too_large": [413, "Request Entity Too Large"],
  "user/too_many_requests/workspace_rate_limited": [429, "Too Many Requests"],
  "user/bad_request/client_closed_request": [499, "Client Closed Request"],
  "unkey/application/unexpected_error": [500, "Internal Server Error"],
  "unkey/application/service_unavailable": [503, "Service Unavailable"],
} as const satisfies Record<string, Kind>;

type KnownType = keyof typeof kinds;

/**
 * The `type` of a problem without the URL of the service's documentation: one that the service sends,
 * or any other of the same form.
 */
// Without `& {}`, editors would not suggest the known types.
export type ProblemType = KnownType | (string & {});

export const problemTypes = Object.keys(kinds) as [KnownType, ...KnownType[]];

const PROBLEM_TYPE = /^(?:unkey|user)\/[\w-]+\/[\w-]+$/;
export const EXPECTED_PROBLEM_TYPE =
  "expected a type of the form unkey/<category>/<specific>, like unkey/data/role_not_found";

export function isProblemType(type: unknown): type is ProblemType {
  return typeof type === "string" && PROBLEM_TYPE.test(type);
}

export function problemType(description: string) {
  const error = EXPECTED_PROBLEM_TYPE;
  const schema = z.string({ error }).check(z.regex(PROBLEM_TYPE, { error }));
  return f.typed<ProblemType>(f.described(schema, { description, examples: problemTypes }));
}

function kindOfType(type: ProblemType): Kind | undefined {
  return Object.hasOwn(kinds, type) ? kinds[type as KnownType] : undefined;
}

/** The usual status of a problem; undefined for a type that the service does not send. */
export function statusOfType(type: ProblemType | undefined): number | undefined {
  return type === undefined ? undefined : kindOfType(type)?.[0];
}

function titleOf({ status, type: given }: ProblemSource, type: ProblemType): string {
  const kind = kindOfType(type);
  // A default type may belong to another status, and its title would be wrong.
  if (kind !== undefined && (given !== undefined || kind[0] === status)) return kind[1];
  if (status === 422) return "Unprocessable Entity";
  const usual = Object.values(kinds).find(([known]) => known === status)?.[1];
  return usual ?? (status >= 500 ? "Internal Server Error" : "Bad Request");
}

/** The types of 403 that depend on the code. */
const typeOfForbidden: Readonly<Record<string, ProblemType>> = {
  DISABLED: "unkey/authorization/key_disabled",
  FORBIDDEN: "unkey/authorization/workspace_disabled",
  INSUFFICIENT_PERMISSIONS: "unkey/authorization/insufficient_permissions",
};

/** The type of a refusal: the given one, else one that follows from code and status. */
export function problemTypeOf({
  code,
  status,
  type,
}: Pick<ProblemSource, "code" | "status" | "type">): ProblemType {
  if (type !== undefined) return type;
  const forbidden = status === 403 ? typeOfForbidden[code] : undefined;
  if (forbidden !== undefined) return forbidden;
  // The service's types for 409 and 410 name a kind of record, which may be the wrong kind here.
  if (status === 409 || status === 410) return "unkey/application/precondition_failed";
  const other = status >= 500 ? "unkey/application/unexpected_error" : problemTypes[0];
  return problemTypes.find((candidate) => statusOfType(candidate) === status) ?? other;
}

/** The service sends `errors` with these statuses. Its client 2.x cannot read a 400 without `errors`. */
const STATUSES_WITH_ERRORS: readonly number[] = [400, 408, 413, 499];

const DOCS = "https://unkey.com/docs/errors";

/**
 * The standard type for a problem that the status explains:
 * https://www.rfc-editor.org/rfc/rfc9457#section-4.2.1
 */
const NO_TYPE = "about:blank";

/** The body of a refusal in v2, with its members in the order of the service. */
export function toProblem(refusal: ProblemSource, requestId: string) {
  const { message: detail, status, violations } = refusal;
  const type = problemTypeOf(refusal);
  const title = titleOf(refusal, type);
  const errors = STATUSES_WITH_ERRORS.includes(status) ? { errors: violations } : {};
  const error = { detail, ...errors, status, title, type: `${DOCS}/${type}` };
  return { error, meta: { requestId } };
}

/** The v2 body for an unknown path or a wrong method, for which the service has no problem type. */
export function toRouteProblem(
  { message, status }: Pick<ProblemSource, "message" | "status">,
  requestId: string,
) {
  const title = status === 405 ? "Method Not Allowed" : "Not Found";
  return { error: { detail: message, status, title, type: NO_TYPE }, meta: { requestId } };
}
