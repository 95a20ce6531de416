import type * as z from "zod/mini";
import { ApiError } from "../../contract/errors.ts";
import { versions } from "../../contract/version.ts";
import { toViolations, unknownViolations, type Violation } from "../../contract/v2/violations.ts";
import { dottedPath, readAs, wireMessage } from "../../schema/problems.ts";
import { shorten } from "../../base/wording/shorten.ts";
import type { PlainRequest } from "../request.ts";
import { EXPECTED_VALUES, parseJson, type JsonProblem } from "../json-body.ts";
import type { Arrival, ParsedInput } from "../interface-version.ts";
import { readQuery } from "../query.ts";

/**
 * Parses and validates the input of an operation: the JSON body of a POST, or the query of a GET,
 * which only users' own operations have in v2.
 * @throws ApiError BAD_REQUEST with every violation of the schema
 */
export function readInput({ operation: { contract }, request, strict }: Arrival): ParsedInput {
  if (request.body === "too large") {
    const detail = `The request body is larger than ${versions.v2.maxBodyBytes} bytes.`;
    const type = "user/bad_request/request_body_too_large";
    throw new ApiError("BAD_REQUEST", detail, { status: 413, type });
  }
  const isGet = contract.method === "GET";
  const raw = isGet ? readQuery(request.query) : parseBody(request, request.body);
  const schema = contract.input as z.core.$ZodObject;
  const { issues, problems, unknown, value } = readAs(schema, raw);
  const refused = strict ? unknown : [];
  if (value === undefined || refused.length > 0) {
    const violations = [
      ...toViolations(schema, raw, issues),
      ...unknownViolations(schema, refused),
    ];
    // The locations of the service do not say which item of a list is meant; the hint does.
    throw schemaError(request, violations, wireMessage([...problems, ...refused]));
  }
  const names = unknown.map(({ path }) => shorten(dottedPath(path), 100));
  return { value, unknown: names };
}

function parseBody(request: PlainRequest, bytes: Uint8Array): unknown {
  const type = request.header("content-type")?.split(";")[0]?.trim() ?? "";
  if (type.toLowerCase() !== "application/json") throw contentTypeError(shorten(type, 100));
  const encoding = request.header("content-encoding");
  if (encoding !== undefined && !/^(?:identity)?$/i.test(encoding)) {
    throw decodingError(request, `it is compressed (${shorten(encoding, 100)})`);
  }
  const parsed = parseJson(bytes);
  if (parsed.problem === undefined) return parsed.value;
  if (parsed.problem === "nothing") throw emptyBodyError(request);
  throw decodingError(request, reasons[parsed.problem]);
}

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
