import * as z from "zod/mini";
import { docs } from "../schema/fields.ts";

/** The service's error codes and the HTTP status that each is sent with. */
export const errorStatus = {
  BAD_REQUEST: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  DISABLED: 403,
  EXPIRED: 403,
  INSUFFICIENT_PERMISSIONS: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  PRECONDITION_FAILED: 412,
  RATE_LIMITED: 429,
  INTERNAL_SERVER_ERROR: 500,
} as const;

export type ErrorCode = keyof typeof errorStatus;

/** When each is met; for the reference. */
export const errorCauses: Readonly<Record<ErrorCode, string>> = {
  BAD_REQUEST:
    "Body or query do not fit, or are no JSON; the content type is missing or another. With 413: the body is over 1 MiB. With 415: the body is compressed.",
  UNAUTHORIZED:
    "There is no `Authorization: Bearer <token>`, or nobody knows the token. With 403: `decrypt` is asked for, and the token may not decrypt.",
  FORBIDDEN: "The workspace of the token is disabled.",
  DISABLED: "The token is disabled.",
  EXPIRED: "The token has expired.",
  INSUFFICIENT_PERMISSIONS: "The token lacks a permission that this call needs.",
  NOT_FOUND: "The API does not exist, or belongs to another workspace; nothing has this path.",
  METHOD_NOT_ALLOWED: "The path takes another method, which `Allow` names.",
  PRECONDITION_FAILED:
    "The API has no keyspace; or it stores no encrypted keys, and a `recoverable` one is asked for.",
  RATE_LIMITED: "Only a fault answers so.",
  INTERNAL_SERVER_ERROR: "Only a fault answers so, or a bug of latchkey.",
};

export const errorCodes = Object.keys(errorStatus) as [ErrorCode, ...ErrorCode[]];

export interface ApiErrorDetails {
  /** Sent instead of the code's usual status: a body that is too large is BAD_REQUEST with 413. */
  readonly status?: number;
  /** Further response headers, for example `Allow`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** What the emulator itself has to say; sent beside the body, which a client parses. */
  readonly hint?: string;
}

/**
 * A refusal by the service. Operations throw it; the emulator turns it into the error envelope.
 * The message reaches the client, so it names no token and no key value.
 * @throws TypeError for a code, status or header that no reply could carry
 */
export class ApiError extends Error {
  override readonly name = "ApiError" as const;
  readonly code: ErrorCode;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly hint: string | undefined;

  constructor(code: ErrorCode, message: string, details: ApiErrorDetails = {}) {
    super(message);
    const { headers = {}, status = errorStatus[code] } = details;
    checkReply(code, status, headers);
    this.code = code;
    this.status = status;
    this.headers = headers;
    this.hint = details.hint;
  }
}

const NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/i;
const ASCII = /^[\x20-\x7e]*$/;
/** Headers that the emulator sets itself. */
const TAKEN = /^(?:access-control-.*|connection|content-.*|transfer-encoding|unkey-request-id)$/i;

function checkReply(code: string, status: number, headers: ApiErrorDetails["headers"]): void {
  if (!Object.hasOwn(errorStatus, code)) {
    throw new TypeError(
      `ApiError: expected a code of ${errorCodes.join(", ")}, got ${String(code)}`,
    );
  }
  if (!(Number.isInteger(status) && status >= 400 && status <= 599)) {
    throw new TypeError(`ApiError: expected a status from 400 to 599, got ${String(status)}`);
  }
  for (const [name, value] of Object.entries(headers ?? {})) {
    if (TAKEN.test(name)) throw new TypeError(`ApiError: ${name} is set by the emulator`);
    if (NAME.test(name) && ASCII.test(value)) continue;
    throw new TypeError(
      `ApiError: expected a header of printable ASCII, got ${JSON.stringify(name)}`,
    );
  }
}

/** What a call of an operation may be refused with, once its route is found. */
export const operationErrors: readonly ErrorCode[] = errorCodes.filter(
  (code) => code !== "METHOD_NOT_ALLOWED",
);

/** The body of every refusal; clients switch on `error.code`. */
export const errorEnvelope = z
  .object({
    error: z.object({
      code: z.enum(errorCodes),
      docs: z.string().register(docs, { description: "A page about the code." }),
      message: z.string().register(docs, { description: "What was wrong, for a person to read." }),
      requestId: z.string().register(docs, {
        description: "Equals the response header `Unkey-Request-Id`.",
      }),
    }),
  })
  .register(docs, {
    // Not `Error`: generated clients declare a type of this name.
    id: "ErrorResponse",
    description: "The body of every refusal.",
  });

export type ErrorEnvelope = z.infer<typeof errorEnvelope>;

/** The members stand in the order in which the service sends them. */
export function toErrorEnvelope(
  code: ErrorCode,
  message: string,
  requestId: string,
): ErrorEnvelope {
  const page = `https://unkey.dev/docs/api-reference/errors/code/${code}`;
  return { error: { code, docs: page, message, requestId } };
}
