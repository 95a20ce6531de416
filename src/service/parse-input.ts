import type * as z from "zod/mini";
import { ApiError } from "../contract/errors.ts";
import { quickReaderOf } from "../contract/operation.ts";
import { dottedPath, readAs, wireMessage } from "../schema/problems.ts";
import type { QuickReader } from "../schema/quick-reader.ts";
import { shorten } from "../schema/shorten.ts";
import type { Operation } from "../operations/operation.ts";
import { MAX_BODY_BYTES, type PlainRequest } from "./exchange.ts";

/** An operation, and how its input is read. */
export interface OperationRoute {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
  /** Reads what nearly every client sends; the contract's schema reads the rest. */
  readonly read: QuickReader<unknown> | undefined;
}

export function toRoute(operation: Operation): OperationRoute {
  const { contract } = operation;
  const { method, path } = contract;
  return { method, path, operation, read: quickReaderOf(contract) };
}

interface ParsedInput {
  readonly input: Record<string, unknown>;
  /** Members that the operation does not know, as `refill.foo`; it ignores them. */
  readonly unknown: readonly string[];
}

/**
 * Reads and validates what a request asks of an operation.
 * @throws ApiError BAD_REQUEST that names everything that is wrong, the first member first
 */
export function parseInput(
  { operation: { contract }, read }: OperationRoute,
  request: PlainRequest,
  { strict }: { readonly strict: boolean },
): ParsedInput {
  if (request.body === "too large") {
    throw new ApiError("BAD_REQUEST", `body: expected at most ${MAX_BODY_BYTES} bytes`, {
      status: 413,
    });
  }
  if (contract.method === "POST") refuseEncoding(request.header("content-encoding"));
  const raw =
    contract.method === "GET"
      ? readQuery(request.query)
      : readJsonBody(request.header("content-type"), request.body);
  const quick = read?.(raw);
  if (quick !== undefined) return { input: quick as Record<string, unknown>, unknown: [] };
  const { value, problems, unknown } = readAs(contract.input as z.core.$ZodObject, raw);
  const told = strict ? [...problems, ...unknown] : problems;
  if (value === undefined || told.length > 0) throw badRequest(wireMessage(told));
  return { input: value, unknown: unknown.map(({ path }) => shortName(dottedPath(path))) };
}

/** The service reads no body that is compressed. */
function refuseEncoding(encoding: string | undefined): void {
  if (encoding === undefined || /^(?:identity)?$/i.test(encoding)) return;
  const message = `content-encoding: expected identity, a body that is not compressed, got ${shortName(encoding)}`;
  throw new ApiError("BAD_REQUEST", message, {
    status: 415,
    headers: { "Accept-Encoding": "identity" },
  });
}

const decoder = new TextDecoder("utf-8", { fatal: true });

/** The service takes any JSON media type, `application/problem+json` too. */
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

/** @throws ApiError BAD_REQUEST for what is no JSON */
export function readJson(body: Uint8Array): unknown {
  if (body.length === 0) throw badRequest("body: expected a JSON object, got nothing");
  try {
    return JSON.parse(decoder.decode(body));
  } catch (error) {
    // The engine's message quotes the body, which may hold a secret.
    const got = error instanceof SyntaxError ? "malformed JSON" : "bytes that are not UTF-8";
    throw badRequest(`body: expected a JSON object, got ${got}`);
  }
}

/** @throws ApiError BAD_REQUEST for a parameter that is given twice, or cannot be decoded */
export function readQuery(query: string, place = ""): Record<string, string> {
  const parameters: Record<string, string> = Object.create(null);
  // Few queries hold anything that is encoded.
  const isEncoded = ENCODED.test(query);
  for (const pair of query.split("&")) {
    if (pair === "") continue;
    const separator = pair.indexOf("=");
    const given = separator === -1 ? pair : pair.slice(0, separator);
    const name = isEncoded ? decode(given, "query") : given;
    if (name in parameters) {
      throw badRequest(`${place}${shortName(name)}: expected once, got it more than once`);
    }
    const value = separator === -1 ? "" : pair.slice(separator + 1);
    parameters[name] = isEncoded ? decode(value, `${place}${shortName(name)}`) : value;
  }
  return parameters;
}

const ENCODED = /[%+]/;

/** `URLSearchParams` lets broken percent-encoding pass; the service refuses it. */
function decode(text: string, place: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    throw badRequest(`${place}: expected percent-encoding that decodes as UTF-8`);
  }
}

/** A client chooses the names of unknown members; a message need not carry all of one. */
function shortName(name: string): string {
  return shorten(name, 100);
}

function badRequest(message: string): ApiError {
  return new ApiError("BAD_REQUEST", message);
}
