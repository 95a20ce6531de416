import { isInstance } from "../base/realm.ts";
import { EXPECTED_PROBLEM_TYPE, isProblemType, type ProblemType } from "./v2/problem.ts";
import type { Violation } from "./v2/violations.ts";
import { shorten } from "../base/wording/text.ts";

/** The service's error codes, each with its usual HTTP status. */
export const errorStatus = {
  BAD_REQUEST: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  DISABLED: 403,
  EXPIRED: 403,
  INSUFFICIENT_PERMISSIONS: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  CONFLICT: 409,
  DELETE_PROTECTED: 412,
  PRECONDITION_FAILED: 412,
  RATE_LIMITED: 429,
  INTERNAL_SERVER_ERROR: 500,
} as const;

export type ErrorCode = keyof typeof errorStatus;

/** When each code is sent, for `docs/reference.md` and the examples in the OpenAPI document. */
export const errorCauses: Readonly<Record<ErrorCode, string>> = {
  BAD_REQUEST:
    "The query or body is invalid, the body is not JSON, or its content type is not `application/json`. With 413: the body is over 1 MiB. With 415: the body is compressed.",
  UNAUTHORIZED:
    "There is no `Authorization: Bearer <token>`, or the token is unknown. With 403: the token may not decrypt, may not remove roles or permissions, or the key to delete belongs to another workspace.",
  FORBIDDEN: "The workspace of the token, or of the key to verify, is disabled.",
  DISABLED: "The token is disabled.",
  EXPIRED: "The token has expired.",
  INSUFFICIENT_PERMISSIONS: "The token lacks a permission that this call needs.",
  NOT_FOUND:
    "The API, key, role, permission or namespace does not exist or belongs to another workspace, or no operation has this path.",
  METHOD_NOT_ALLOWED:
    "The path does not take this method. The header `Allow` lists the methods that it takes.",
  CONFLICT: "Sent only because of a fault, or by an operation of your own.",
  DELETE_PROTECTED: "Sent only because of a fault, or by an operation of your own.",
  PRECONDITION_FAILED:
    "The API has no keyspace, or the key is to be `recoverable` and the API does not store encrypted keys.",
  RATE_LIMITED: "Sent only because of a fault.",
  INTERNAL_SERVER_ERROR: "Sent only because of a fault, or of a bug in latchkey.",
};

export const errorCodes = Object.keys(errorStatus) as [ErrorCode, ...ErrorCode[]];

export interface ApiErrorDetails {
  /**
   * An integer from 400 to 599. Default: the usual status of the code. Another status can be more
   * exact: a body that is too large is BAD_REQUEST with 413.
   */
  readonly status?: number;
  /** Additional response headers, for example `Allow`. Default: none. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Advice that the real service would not give; sent as the header `X-Latchkey-Hint`. */
  readonly hint?: string | undefined;
  /**
   * Whether the hint only repeats what was sent or answered. A log of warnings leaves it out.
   * Default: false.
   */
  readonly isEcho?: boolean | undefined;
  /**
   * The type of the problem in v2: one that the service sends, or any other of the form
   * `unkey/<category>/<specific>`, whose title follows from the status. Default: the type that
   * follows from code and status.
   */
  readonly type?: ProblemType | undefined;
  /** The violations of the schema; only v2 sends them. Default: none. */
  readonly violations?: readonly Violation[] | undefined;
}

/**
 * A refusal by the service. Throw it in an operation; the emulator replies with the error envelope.
 * The client sees the message, so it must not contain a token or a key value.
 * @throws TypeError for an unknown code, for a status or a type of another form, and for a header that
 *   is not printable ASCII or that the emulator sets itself, like `Content-Type`
 */
export class ApiError extends Error {
  override readonly name = "ApiError" as const;
  readonly code: ErrorCode;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly hint: string | undefined;
  readonly isEcho: boolean;
  readonly type: ProblemType | undefined;
  readonly violations: readonly Violation[];

  constructor(code: ErrorCode, message: string, details: ApiErrorDetails = {}) {
    super(message);
    const { status = errorStatus[code], type } = details;
    const headers = { ...details.headers };
    checkReply(code, status, type);
    for (const [name, value] of Object.entries(headers)) checkHeader("ApiError", name, value);
    this.code = code;
    this.status = status;
    this.headers = headers;
    this.hint = details.hint;
    this.isEcho = details.isEcho ?? false;
    this.type = type;
    this.violations = details.violations ?? [];
  }
}

/**
 * Whether an operation has thrown an `ApiError`. It may come from another copy of latchkey, when a
 * globally installed command serves operations of a project.
 */
export function isApiError(thrown: unknown): thrown is ApiError {
  if (isInstance(thrown, ApiError)) return true;
  if (!isInstance(thrown, Error)) return false;
  const { code, name, violations } = thrown as Partial<ApiError>;
  // Other libraries have an error of this name, but without violations.
  const isNamed = name === "ApiError" && Array.isArray(violations);
  return isNamed && errorCodes.some((known) => known === code);
}

export function badRequest(message: string): ApiError {
  return new ApiError("BAD_REQUEST", message);
}

function checkReply(code: string, status: number, type: string | undefined): void {
  if (!Object.hasOwn(errorStatus, code)) {
    throw new TypeError(
      `ApiError: expected a code of ${errorCodes.join(", ")}, got ${String(code)}`,
    );
  }
  if (!(Number.isInteger(status) && status >= 400 && status <= 599)) {
    throw new TypeError(`ApiError: expected a status from 400 to 599, got ${String(status)}`);
  }
  if (type === undefined || isProblemType(type)) return;
  throw new TypeError(`ApiError: type: ${EXPECTED_PROBLEM_TYPE}, got ${JSON.stringify(type)}`);
}

/**
 * The codes with which operations of v1 refuse. Only the router refuses a wrong method, and only
 * operations of v2 and of users refuse with a conflict or for a protected record.
 */
export const operationErrors: readonly ErrorCode[] = errorCodes.filter(
  (code) => !["METHOD_NOT_ALLOWED", "CONFLICT", "DELETE_PROTECTED"].includes(code),
);

/** The body of every refusal of v1, with its members in the order of the service. */
export function toErrorEnvelope(code: ErrorCode, message: string, requestId: string) {
  const docs = `https://unkey.dev/docs/api-reference/errors/code/${code}`;
  return { error: { code, docs, message, requestId } };
}

const NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/i;
/** Node's clients, for example, read at most 16 KiB of headers. */
const MAX_VALUE = 4_000;
/** Printable ASCII without space at the ends, which only some clients remove. */
const VALUE = /^(?:[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)?$/;
/** Headers that the emulator sets itself, and headers about the connection. */
const RESERVED =
  /^(?:access-control-.*|connection|content-.*|keep-alive|proxy-connection|te|trailer|transfer-encoding|unkey-request-id|upgrade|x-latchkey-.*)$/i;

/**
 * Checks a header that an operation adds to a reply or a refusal.
 * @param where names the caller in the message, like `ApiError`
 * @throws TypeError for a header that no reply can carry, or that the emulator sets itself
 */
export function checkHeader(where: string, name: unknown, value: unknown): void {
  const problem = headerProblem(name, value);
  if (problem === undefined) return;
  if (problem === EMULATED) throw new TypeError(`${where}: ${String(name)} ${problem}`);
  const shown = typeof name === "string" ? JSON.stringify(name) : `of type ${typeof name}`;
  throw new TypeError(`${where}: header ${shown}: ${problem}`);
}

/** Why no reply can carry this header; undefined if it can. */
export function headerProblem(name: unknown, value: unknown): string | undefined {
  if (typeof name === "string" && RESERVED.test(name)) return EMULATED;
  const isValue = typeof value === "string" && value.length <= MAX_VALUE && VALUE.test(value);
  return typeof name === "string" && NAME.test(name) && isValue ? undefined : EXPECTED_HEADER;
}

const EMULATED = "is set by the emulator";
const EXPECTED_HEADER =
  "expected a valid header name and a value of printable ASCII without space at its ends, at most 4,000 characters";

const MAX_TEXT = 2_000;

/** Turns any text into a value of a header: shortened, and with `?` for each invalid character. */
export function toHeaderText(text: string): string {
  return shorten(text, MAX_TEXT)
    .replaceAll(/[^\x20-\x7e]+/g, "?")
    .trim();
}
