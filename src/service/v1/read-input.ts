import type * as z from "zod/mini";
import { ApiError } from "../../contract/errors.ts";
import { versions } from "../../contract/version.ts";
import { dottedPath, readAs, wireMessage } from "../../schema/problems.ts";
import { shorten } from "../../base/wording/shorten.ts";
import { EXPECTED_VALUES, parseJson } from "../json-body.ts";
import type { Arrival, ParsedInput } from "../interface-version.ts";
import { readQuery } from "../query.ts";

/**
 * Parses and validates the input of an operation: the JSON body of a POST, or the query of a GET.
 * @throws ApiError BAD_REQUEST with every problem, in the order of the schema; with `strict`, unknown
 *   members are problems too
 */
export function readInput({ operation: { contract }, request, strict }: Arrival): ParsedInput {
  if (request.body === "too large") {
    const message = `body: expected at most ${versions.v1.maxBodyBytes} bytes`;
    throw new ApiError("BAD_REQUEST", message, { status: 413 });
  }
  if (contract.method === "POST") refuseEncoding(request.header("content-encoding"));
  const raw =
    contract.method === "GET"
      ? readQuery(request.query)
      : readJsonBody(request.header("content-type"), request.body);
  const { value, problems, unknown } = readAs(contract.input as z.core.$ZodObject, raw);
  const refused = strict ? [...problems, ...unknown] : problems;
  if (value === undefined || refused.length > 0) throw badRequest(wireMessage(refused));
  return { value, unknown: unknown.map(({ path }) => shortName(dottedPath(path))) };
}

/** The service does not accept compressed bodies. */
function refuseEncoding(encoding: string | undefined): void {
  if (encoding === undefined || /^(?:identity)?$/i.test(encoding)) return;
  const message = `content-encoding: expected identity, a body that is not compressed, got ${shortName(encoding)}`;
  throw new ApiError("BAD_REQUEST", message, {
    status: 415,
    headers: { "Accept-Encoding": "identity" },
  });
}

/** The service accepts any JSON media type, also those like `application/problem+json`. */
const JSON_TYPE = /^application\/(?:[a-z0-9!#$&^_.+-]+\+)?json\s*(?:;|$)/i;

function readJsonBody(contentType: string | undefined, body: Uint8Array): unknown {
  if (contentType === undefined) {
    throw badRequest("content-type: expected application/json, got none");
  }
  if (!JSON_TYPE.test(contentType)) {
    const [type = ""] = contentType.split(";");
    throw badRequest(`content-type: expected application/json, got ${shortName(type)}`);
  }
  return readJson(body);
}

/** @throws ApiError BAD_REQUEST for an empty body, malformed JSON, invalid UTF-8, or too many values */
function readJson(body: Uint8Array): unknown {
  const parsed = parseJson(body);
  if (parsed.problem === undefined) return parsed.value;
  if (parsed.problem === "too many values") {
    throw badRequest(`body: expected ${EXPECTED_VALUES}, got more`);
  }
  throw badRequest(`body: expected a JSON object, got ${parsed.problem}`);
}

/** Shortens a text that the client chose, for an error message. */
function shortName(name: string): string {
  return shorten(name, 100);
}

function badRequest(message: string): ApiError {
  return new ApiError("BAD_REQUEST", message);
}
