import type * as z from "zod/mini";
import { ApiError } from "../../contract/errors.ts";
import { versions } from "../../contract/version.ts";
import { dottedPath, readAs, wireMessage } from "../../schema/problems.ts";
import { shorten } from "../../schema/wording/shorten.ts";
import type { PlainRequest } from "../exchange.ts";
import { EXPECTED_VALUES, parseJson } from "../json-body.ts";
import type { Operation } from "../../operations/operation.ts";
import type { ParsedInput } from "../interface-version.ts";

/**
 * Parses and validates the input of an operation: the JSON body of a POST, or the query of a GET.
 * @throws ApiError BAD_REQUEST with every problem, in the order of the schema; with `strict`, unknown
 *   members are problems too
 */
export function readInput(
  { contract }: Operation,
  request: PlainRequest,
  { strict }: { readonly strict: boolean },
): ParsedInput {
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
  return { input: value, unknown: unknown.map(({ path }) => shortName(dottedPath(path))) };
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

/**
 * @param prefix put before the name of a parameter in error messages
 * @throws ApiError BAD_REQUEST for a parameter that occurs twice, or cannot be decoded
 */
export function readQuery(query: string, prefix = ""): Record<string, string> {
  const parameters: Record<string, string> = Object.create(null);
  // Decoding is slow, and few queries need it.
  const isEncoded = ENCODED.test(query);
  for (const pair of query.split("&")) {
    if (pair === "") continue;
    const separator = pair.indexOf("=");
    const rawName = separator === -1 ? pair : pair.slice(0, separator);
    const name = isEncoded ? decode(rawName, "query") : rawName;
    if (name in parameters) {
      throw badRequest(`${prefix}${shortName(name)}: expected once, got it more than once`);
    }
    const value = separator === -1 ? "" : pair.slice(separator + 1);
    parameters[name] = isEncoded ? decode(value, `${prefix}${shortName(name)}`) : value;
  }
  return parameters;
}

const ENCODED = /[%+]/;

/** Not `URLSearchParams`, which accepts broken percent-encoding; the service refuses it. */
function decode(text: string, place: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    throw badRequest(`${place}: expected percent-encoding that decodes as UTF-8`);
  }
}

/** Shortens a text that the client chose, for an error message. */
function shortName(name: string): string {
  return shorten(name, 100);
}

function badRequest(message: string): ApiError {
  return new ApiError("BAD_REQUEST", message);
}
