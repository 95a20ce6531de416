import { ApiError, badRequest, toErrorEnvelope } from "../api/errors.ts";
import * as access from "./access.ts";
import type { InterfaceVersion, ReadInput, UncheckedCall } from "./request-context.ts";
import type { ParsedInput } from "../api/operation.ts";
import { versions } from "../api/version.ts";
import { toJson } from "../api/wire-json.ts";
import { isUrn } from "../api/urn.ts";
import { dottedPath, readAs, wireMessage } from "../schema/problems.ts";
import { wholeOrLength } from "../base/wording/text.ts";
import { bytesOf, EXPECTED_VALUES, parseJson, readQuery } from "./request.ts";
import { type Operation, RawJson } from "./operations/operation.ts";
import { type PlainReply, replyOf, toPieces } from "./reply.ts";
import type * as z from "zod/mini";

export const v1: InterfaceVersion = {
  name: "v1",
  bearer: access.BEARER,
  takesOptions: true,
  check(operation, call) {
    const { quirks } = call;
    const refusals = quirks.has("unauthorized-403") ? refusalsWith403 : accessRefusals;
    if (quirks.has("validate-first")) {
      const input = readInput(operation, call);
      return { access: access.authenticate(operation, call, refusals), input };
    }
    const accepted = access.authenticate(operation, call, refusals);
    return { access: accepted, input: readInput(operation, call) };
  },
  refuseRequirements(
    { missing },
    { code, message, status } = { code: "INSUFFICIENT_PERMISSIONS" },
    notUnderstood,
  ) {
    // v1 of the service had no URNs.
    const text = access.describeRequirements(
      missing.map(({ oneOf, ...rest }) => ({
        ...rest,
        oneOf: oneOf.filter((name) => !isUrn(name)),
      })),
    );
    const hint = access.hintOf([message === undefined ? undefined : text, notUnderstood]);
    return new ApiError(code, message ?? text, { ...(status && { status }), hint });
  },
  labelsOf: ({ code }) => ({ code, type: undefined }),
  succeed: successReply,
  refuse: errorReply,
  refuseRoute: (requestId, refusal, _request, isPlain) =>
    isPlain ? plainNotFoundReply(requestId) : errorReply(requestId, refusal),
};

function refusalsWith(details: { readonly status?: number }): access.AccessRefusals {
  const unauthorized = (message: string) =>
    new ApiError("UNAUTHORIZED", `authorization: ${message}`, details);
  return {
    missing: () => unauthorized("expected the header, found none"),
    malformed: (authorization) => unauthorized(access.expectedToken(authorization)),
    unknown: (is) =>
      unauthorized(is === "control token" ? access.CONTROL_TOKEN_SENT : "the token is not known"),
    workspaceDisabled: () =>
      new ApiError("FORBIDDEN", "authorization: the workspace of the token is disabled"),
    disabled: () => new ApiError("DISABLED", "authorization: the token is disabled"),
    expired: () => new ApiError("EXPIRED", "authorization: the token has expired"),
  };
}

const accessRefusals = refusalsWith({});
/** For the quirk `unauthorized-403`. */
const refusalsWith403 = refusalsWith({ status: 403 });

/**
 * Parses and validates the input of an operation: the JSON body of a POST, or the query of a GET.
 * @throws ApiError BAD_REQUEST with every problem, in the order of the schema; with `strict`, unknown
 *   members are problems too
 */
function readInput({ contract }: Operation, { request, strict }: UncheckedCall): ReadInput {
  const body = bytesOf(request.body, versions.v1.maxBodyBytes, (max) => {
    const message = `body: expected at most ${max} bytes`;
    return new ApiError("BAD_REQUEST", message, { status: 413 });
  });
  if (contract.method === "POST") refuseEncoding(request.header("content-encoding"));
  const raw =
    contract.method === "GET"
      ? readQuery(request.query)
      : readJsonBody(request.header("content-type"), body);
  const { value, problems, unknown } = readAs(contract.input as z.core.$ZodType<ParsedInput>, raw);
  const refused = strict ? [...problems, ...unknown] : problems;
  if (value === undefined || refused.length > 0) throw badRequest(wireMessage(refused));
  return { value, unknown: unknown.map(({ path }) => wholeOrLength(dottedPath(path), 100)) };
}

/** The service does not accept compressed bodies. */
function refuseEncoding(encoding: string | undefined): void {
  if (encoding === undefined || /^(?:identity)?$/i.test(encoding)) return;
  const message = `content-encoding: expected identity, a body that is not compressed, got ${wholeOrLength(encoding, 100)}`;
  throw new ApiError("BAD_REQUEST", message, {
    status: 415,
    headers: { "Accept-Encoding": "identity" },
  });
}

/** The service accepts any JSON media type, even `application/problem+json`. */
const JSON_TYPE = /^application\/(?:[a-z0-9!#$&^_.+-]+\+)?json\s*(?:;|$)/i;

function readJsonBody(contentType: string | undefined, body: Uint8Array): unknown {
  if (contentType === undefined) {
    throw badRequest("content-type: expected application/json, got none");
  }
  if (!JSON_TYPE.test(contentType)) {
    const [type = ""] = contentType.split(";");
    throw badRequest(`content-type: expected application/json, got ${wholeOrLength(type, 100)}`);
  }
  const parsed = parseJson(body);
  if (parsed.problem === undefined) return parsed.value;
  if (parsed.problem === "too many values") {
    throw badRequest(`body: expected ${EXPECTED_VALUES}, got more`);
  }
  throw badRequest(`body: expected a JSON object, got ${parsed.problem}`);
}

const json = "application/json; charset=UTF-8";

function successReply(requestId: string, output: unknown): PlainReply {
  const pieces = output instanceof RawJson ? output.pieces : toPieces(toJson(output));
  return replyOf(200, json, pieces, { "Unkey-Request-Id": requestId });
}

function errorReply(requestId: string, error: ApiError): PlainReply {
  const { code, message, status } = error;
  const pieces = toPieces(JSON.stringify(toErrorEnvelope(code, message, requestId)));
  return replyOf(status, json, pieces, {
    "Unkey-Request-Id": requestId,
    ...(status === 401 ? access.CHALLENGE : {}),
    ...error.headers,
  });
}

/** The plain text with which the service's router answers an unknown path. */
function plainNotFoundReply(requestId: string): PlainReply {
  const pieces = ["404 Not Found"];
  return replyOf(404, "text/plain; charset=UTF-8", pieces, { "Unkey-Request-Id": requestId });
}
