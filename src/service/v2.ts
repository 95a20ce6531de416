import { ApiError } from "../api/errors.ts";
import { problemTypeOf, toProblem, toRouteProblem } from "../api/v2/problem.ts";
import * as access from "./access.ts";
import type { InterfaceVersion, ReadInput, UncheckedCall } from "./request-context.ts";
import type { ParsedInput } from "../api/operation.ts";
import { versions } from "../api/version.ts";
import { isUrn } from "../api/urn.ts";
import { aboutMembersOfV1 } from "../api/v2/members-of-v1.ts";
import { toViolations, unknownViolations, type Violation } from "../api/v2/violations.ts";
import * as f from "../schema/fields.ts";
import { dottedPath, readAs, wireMessage } from "../schema/problems.ts";
import { wholeOrLength } from "../base/wording/text.ts";
import { type Operation, RawJson } from "./operations/operation.ts";
import { toWireJson } from "../api/v2/json.ts";
import type { JsonProblem, PlainRequest } from "./request.ts";
import { bytesOf, EXPECTED_VALUES, parseJson, readQuery } from "./request.ts";
import { type PlainReply, replyOf, toPieces } from "./reply.ts";
import type * as z from "zod/mini";

export const v2: InterfaceVersion = {
  name: "v2",
  // As in the service, white space around the token is ignored.
  bearer: /^Bearer \s*(\S(?:.*\S)?)\s*$/,
  takesOptions: false,
  check(operation, call) {
    // The service's order: a missing header, then the body, then the token. An empty header counts as a
    // missing one.
    const isMissing = !call.credentials.authorization;
    if (isMissing && !operation.contract.isOpen) throw accessRefusals.missing();
    const input = readInput(operation, call);
    return { access: access.authenticate(operation, call, accessRefusals), input };
  },
  refuseRequirements({ demanded, missing }, refusal, hint) {
    const { code = "INSUFFICIENT_PERMISSIONS", message, status, type } = refusal ?? {};
    const details = { ...(status && { status }), type };
    if (message !== undefined) {
      const reason = access.hintOf([access.describeRequirements(missing), hint]);
      return new ApiError(code, message, { ...details, hint: reason });
    }
    // As in the service, the message names all requirements, even those that the token meets, but each URN
    // once.
    const seen = new Set<string>();
    const isNew = (name: string) => !isUrn(name) || (!seen.has(name) && seen.add(name));
    const alternatives = demanded.map((each) => access.shownPermissions(each).filter(isNew));
    const all = alternatives.map((permissions) => permissions.join(" or ")).join(" and ");
    const text =
      alternatives.flat().length === 1
        ? `Missing permission: '${all}'`
        : `Missing one of these permissions: ${all}`;
    return new ApiError(code, text, { ...details, hint });
  },
  labelsOf: (refusal, isRouted) => ({
    code: undefined,
    type: isRouted ? problemTypeOf(refusal) : undefined,
  }),
  succeed: successReply,
  refuse: (requestId, refusal, { header }) =>
    problemReply(toProblem(refusal, requestId), refusal, header("accept")),
  refuseRoute(requestId, refusal, { header }, isPlain) {
    const { message, status } = refusal;
    const text = isPlain ? routeTexts[status === 405 ? 405 : 404] : message;
    return problemReply(
      toRouteProblem({ message: text, status }, requestId),
      refusal,
      header("accept"),
    );
  },
};

/** The exact texts of the service's router. */
const routeTexts = {
  404: "The requested endpoint does not exist.",
  405: "The request method is not supported for this endpoint.",
} as const;

const INVALID_TOKEN = "The provided root key is invalid.";
const UNLISTED =
  "this token is not listed; send a listed one, list it in a fixture, or start with --token (in code tokens) to accept only that one";
const KEY_SENT = "this is the value of a key; send a listed token, as the root key";

/** The exact messages of the service. */
const accessRefusals: access.AccessRefusals = {
  missing: () =>
    new ApiError("BAD_REQUEST", "Authorization header for 'bearer' scheme", {
      violations: [
        {
          location: "security",
          message: "Authorization header was not found",
          fix: "Add an 'Authorization' header to this request",
        },
      ],
    }),
  malformed: () =>
    new ApiError(
      "BAD_REQUEST",
      "You must provide a valid root key in the Authorization header in the format 'Bearer ROOT_KEY'. Your authorization header is missing the 'Bearer ' prefix.",
      { type: "unkey/authentication/malformed" },
    ),
  unknown: (is) =>
    is === "key"
      ? new ApiError("UNAUTHORIZED", INVALID_TOKEN, { hint: KEY_SENT })
      : new ApiError("UNAUTHORIZED", `${INVALID_TOKEN} We could not find the requested key.`, {
          hint: is === "control token" ? access.CONTROL_TOKEN_SENT : UNLISTED,
        }),
  workspaceDisabled: () => new ApiError("FORBIDDEN", `${INVALID_TOKEN} The workspace is disabled.`),
  disabled: () => new ApiError("DISABLED", `${INVALID_TOKEN} The key is disabled.`),
  expired: (expires) =>
    new ApiError("EXPIRED", `${INVALID_TOKEN} the key has expired on ${toSeconds(expires)}`, {
      type: "unkey/authorization/forbidden",
    }),
};

/** A time in the format of RFC 3339, without milliseconds. */
function toSeconds(time: number): string {
  return new Date(time).toISOString().replace(/\.\d+Z$/, "Z");
}

/**
 * Parses and validates the input of an operation: the JSON body of a POST, or the query of a GET. In v2,
 * only users' operations use GET, and the messages say POST, as at the service.
 * @throws ApiError BAD_REQUEST with every violation of the schema
 */
function readInput({ contract }: Operation, { request, strict }: UncheckedCall): ReadInput {
  const body = bytesOf(request.body, versions.v2.maxBodyBytes, (max) => {
    const detail = `The request body is larger than ${max} bytes.`;
    const type = "user/bad_request/request_body_too_large";
    return new ApiError("BAD_REQUEST", detail, { status: 413, type });
  });
  const isGet = contract.method === "GET";
  const raw = isGet ? readQuery(request.query) : parseBody(request, body);
  const schema = contract.input as z.core.$ZodType<ParsedInput>;
  const { issues, problems, unknown, value } = readAs(schema, raw);
  const refused = strict ? unknown : [];
  if (value === undefined || refused.length > 0) {
    const violations = [
      ...toViolations(
        schema,
        raw,
        issues.filter((issue) => !isBeyondInteger(issue)),
      ),
      ...unknownViolations(schema, refused),
    ];
    // The service's locations do not show which item of a list is meant, so the hint does.
    const hint = access.hintOf([
      wireMessage([...problems, ...refused]),
      aboutMembersOfV1(schema, issues),
    ]);
    // A number of more than 64 bits passes the service's schema, but not the code behind it.
    if (violations.length === 0) throw new ApiError("BAD_REQUEST", NOT_BOUND, { hint });
    throw schemaError(request, violations, hint);
  }
  const names = unknown.map(({ path }) => wholeOrLength(dottedPath(path), 100));
  return { value, unknown: names };
}

const NOT_BOUND = "The request body is invalid. The request body was not valid JSON.";

function isBeyondInteger(issue: z.core.$ZodIssue): boolean {
  if (issue.code === "too_big") return issue.maximum === f.MAX_INTEGER;
  return issue.code === "too_small" && issue.minimum === -f.MAX_INTEGER;
}

function parseBody(request: PlainRequest, bytes: Uint8Array): unknown {
  const type = request.header("content-type")?.split(";")[0]?.trim() ?? "";
  if (type.toLowerCase() !== "application/json") throw contentTypeError(wholeOrLength(type, 100));
  const encoding = request.header("content-encoding");
  if (encoding !== undefined && !/^(?:identity)?$/i.test(encoding)) {
    throw decodingError(request, `it is compressed (${wholeOrLength(encoding, 100)})`);
  }
  if (BYTE_ORDER_MARK.every((byte, index) => bytes[index] === byte)) {
    throw decodingError(request, "it begins with a byte order mark");
  }
  const parsed = parseJson(bytes);
  if (parsed.problem === undefined) return parsed.value;
  if (parsed.problem === "nothing") throw emptyBodyError(request);
  throw decodingError(request, reasons[parsed.problem]);
}

/** U+FEFF in UTF-8. The service's parser refuses it, unlike the decoder of v1. */
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

const reasons: Readonly<Record<Exclude<JsonProblem, "nothing">, string>> = {
  "malformed JSON": "it is not valid JSON",
  "bytes that are not UTF-8": "it is not UTF-8",
  "too deep": "it is nested too deeply",
  "too many values": `latchkey reads ${EXPECTED_VALUES}`,
};

const MATCH_SCHEMA = "Ensure that the object being submitted, matches the schema correctly";

function contentTypeError(type: string): ApiError {
  return new ApiError(
    "BAD_REQUEST",
    `POST operation request content type '${type}' does not exist`,
    {
      violations: [
        {
          location: "requestBody",
          message: `The content type '${type}' of the POST request submitted has not been defined, it's an unknown type`,
          fix: "The content type is invalid, Use one of the 1 supported types for this operation: application/json",
        },
      ],
    },
  );
}

function emptyBodyError({ path }: PlainRequest): ApiError {
  const message = "The request body is empty but there is a schema defined";
  return new ApiError("BAD_REQUEST", `POST request body is empty for '${path}'`, {
    violations: [{ location: "requestBody", message, fix: MATCH_SCHEMA }],
  });
}

function decodingError(request: PlainRequest, reason: string): ApiError {
  const message = `The request body cannot be decoded: ${reason}`;
  return schemaError(request, [{ location: "requestBody", message, fix: MATCH_SCHEMA }]);
}

function schemaError(
  { path }: PlainRequest,
  violations: readonly Violation[],
  hint?: string,
): ApiError {
  const detail = `POST request body for '${path}' failed to validate schema`;
  return new ApiError("BAD_REQUEST", detail, { violations, hint });
}

const json = "application/json";

/** Adds `meta` to the result of an operation. As in the service, no header has the request id. */
export function successReply(requestId: string, output: unknown): PlainReply {
  if (output instanceof RawJson) return replyOf(200, json, output.pieces);
  // An operation of a user may return a `meta` too.
  const {
    data,
    meta: _,
    ...rest
  } = Object(output) as { readonly data?: unknown; readonly meta?: unknown };
  const meta = { requestId };
  if (!(data instanceof RawJson)) {
    const text = toWireJson({ data, meta, ...rest });
    // `data` would come first. `JSON.stringify` leaves it out if JSON cannot hold it, like a function.
    if (text?.startsWith('{"data":')) return replyOf(200, json, toPieces(text));
    throw new TypeError("an operation returned no `data`, or one that JSON cannot hold");
  }
  // Pieces that are strings must be ASCII, as all other members of a page are: ids, cursors, flags.
  const end = `,${(toWireJson({ meta, ...rest }) ?? "").slice(1)}`;
  return replyOf(200, json, ['{"data":', ...data.pieces, end]);
}

/** As in the service, the reply to an input that the schema refuses is always plain JSON. */
function problemReply(
  problem: object,
  { headers, status, violations }: ApiError,
  accept: string | undefined,
): PlainReply {
  const accepts = /application\/(?:problem\+json|\*)|\*\/\*/.test(accept ?? "");
  const type = accepts && violations.length === 0 ? "application/problem+json" : json;
  const pieces = toPieces(toWireJson(problem));
  return replyOf(status, type, pieces, headers);
}
