import type { ApiError } from "./errors.ts";

/** The body of a refusal in v2. The order of the members is that of the service. */
export interface ProblemEnvelope {
  readonly error: {
    readonly detail: string;
    /** Always empty; only with the statuses in `STATUSES_WITH_ERRORS`. */
    readonly errors?: readonly [];
    readonly status: number;
    readonly title: string;
    readonly type: string;
  };
  readonly meta: { readonly requestId: string };
}

type Kind = readonly [title: string, type: string];

const invalidInput: Kind = ["Bad Request", "unkey/application/invalid_input"];
const unexpectedError: Kind = ["Internal Server Error", "unkey/application/unexpected_error"];

const kindOfStatus: Readonly<Record<number, Kind>> = {
  400: invalidInput,
  401: ["Unauthorized", "unkey/authentication/key_not_found"],
  403: ["Forbidden", "unkey/authorization/forbidden"],
  404: ["Not Found", "unkey/data/api_not_found"],
  408: ["Request Timeout", "user/bad_request/request_timeout"],
  412: ["Precondition Failed", "unkey/application/precondition_failed"],
  413: ["Request Entity Too Large", "user/bad_request/request_body_too_large"],
  429: ["Too Many Requests", "user/too_many_requests/workspace_rate_limited"],
  500: unexpectedError,
  503: ["Service Unavailable", "unkey/application/service_unavailable"],
};

/** The kinds of 403 that depend on the code. */
const kindOfForbidden: Readonly<Record<string, Kind>> = {
  DISABLED: ["Key is disabled", "unkey/authorization/key_disabled"],
  FORBIDDEN: ["Workspace is disabled", "unkey/authorization/workspace_disabled"],
  INSUFFICIENT_PERMISSIONS: [
    "Insufficient Permissions",
    "unkey/authorization/insufficient_permissions",
  ],
};

/**
 * The service sends `errors` with these statuses. Its client 2.x cannot read the body of a 400
 * without that member.
 */
const STATUSES_WITH_ERRORS: readonly number[] = [400, 408, 413, 499];

const DOCS = "https://unkey.com/docs/errors";

/**
 * The type of a problem that says no more than its status:
 * https://www.rfc-editor.org/rfc/rfc9457#section-4.2.1
 */
const NO_TYPE = "about:blank";

/** The v2 body for a refusal of an operation. */
export function toProblem({ code, message, status }: ApiError, requestId: string): ProblemEnvelope {
  const forbidden = status === 403 ? kindOfForbidden[code] : undefined;
  const other = status >= 500 ? unexpectedError : invalidInput;
  const [title, type] = forbidden ?? kindOfStatus[status] ?? other;
  return envelope({ detail: message, status, title, type: `${DOCS}/${type}` }, requestId);
}

/**
 * The v2 body for an unknown path or a wrong method. The service answers these with plain text and
 * documents no problem type for them.
 */
export function toRouteProblem({ message, status }: ApiError, requestId: string): ProblemEnvelope {
  const title = status === 405 ? "Method Not Allowed" : "Not Found";
  return envelope({ detail: message, status, title, type: NO_TYPE }, requestId);
}

function envelope(
  { detail, ...rest }: Omit<ProblemEnvelope["error"], "errors">,
  requestId: string,
): ProblemEnvelope {
  const errors = STATUSES_WITH_ERRORS.includes(rest.status) ? { errors: [] as const } : {};
  return { error: { detail, ...errors, ...rest }, meta: { requestId } };
}
