import { toErrorEnvelope, type ApiError } from "../contract/errors.ts";
import type { ProblemEnvelope } from "../contract/problem-v2.ts";
import { shorten } from "../schema/shorten.ts";
import type { Effect } from "../faults/fault-schema.ts";
import { RawJson, type Piece } from "../operations/raw-json.ts";
import { lengthOf, PlainReply } from "./exchange.ts";

/** CORS: pages of any origin may call operations, and read the request id of the reply. */
const crossOrigin = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers": "Unkey-Request-Id",
};
const json = "application/json; charset=UTF-8";
const encoder = new TextEncoder();

export function successReply(requestId: string, output: unknown): PlainReply {
  const pieces = output instanceof RawJson ? output.pieces : toPieces(output);
  return toReply(200, requestId, pieces, json);
}

export function errorReply(requestId: string, error: ApiError): PlainReply {
  const { code, hint, message, status } = error;
  const pieces = toPieces(toErrorEnvelope(code, message, requestId));
  return toReply(status, requestId, pieces, json, { ...error.headers, ...hintHeaders(hint) });
}

/** An error reply of v2, with the headers of `error`. Like the service's, it has no request id header. */
export function problemReply(
  problem: ProblemEnvelope,
  { headers, hint, status }: ApiError,
  accept: string | undefined,
): PlainReply {
  const pieces = toPieces(problem);
  const wantsProblem = /application\/(?:problem\+json|\*)|\*\/\*/.test(accept ?? "");
  return new PlainReply(
    status,
    {
      "Content-Type": wantsProblem ? "application/problem+json" : "application/json",
      "Content-Length": String(lengthOf(pieces)),
      ...crossOrigin,
      ...headers,
      ...hintHeaders(hint),
    },
    pieces,
  );
}

/** A copy of the reply with a hint appended to the existing one. */
export function withHint(reply: PlainReply, hint: string): PlainReply {
  const { "X-Latchkey-Hint": former } = reply.headers;
  const all = former === undefined ? hint : `${former}; ${hint}`;
  return reply.with({ headers: { ...reply.headers, ...hintHeaders(all) } });
}

/** Node's clients, for example, read at most 16 KiB of headers. */
const MAX_HINT = 2_000;

function hintHeaders(hint: string | undefined): Readonly<Record<string, string>> {
  if (hint === undefined) return {};
  const text = printable(shorten(hint, MAX_HINT));
  return { "X-Latchkey-Hint": text, ...exposeHeader("X-Latchkey-Hint") };
}

/** The reply to a CORS preflight: allows these methods and all the headers that the browser asks for. */
export function preflightReply(
  requestId: string,
  methods: readonly string[],
  requestedHeaders: string | undefined,
): PlainReply {
  const headers = {
    ...crossOrigin,
    "Unkey-Request-Id": requestId,
    "Access-Control-Allow-Methods": methods.join(", "),
    ...(requestedHeaders ? { "Access-Control-Allow-Headers": requestedHeaders } : {}),
    Vary: "Access-Control-Request-Headers",
  };
  return new PlainReply(204, headers, []);
}

/**
 * For the quirk `plain-404`: the plain text with which the service's v1 router answers an unknown
 * path. The usual message is in the hint header instead.
 */
export function plainNotFoundReply(requestId: string, { message }: ApiError): PlainReply {
  const pieces = ["404 Not Found"];
  return toReply(404, requestId, pieces, "text/plain; charset=UTF-8", hintHeaders(message));
}

/** The same for v2, whose router has another text for a wrong method (405). */
export function plainProblemReply({ headers, message, status }: ApiError): PlainReply {
  const pieces = [status === 405 ? "Method Not Allowed\n" : "404 page not found\n"];
  return new PlainReply(
    status,
    {
      "Content-Type": "text/plain; charset=utf-8",
      "Content-Length": String(lengthOf(pieces)),
      "X-Content-Type-Options": "nosniff",
      ...crossOrigin,
      ...headers,
      ...hintHeaders(message),
    },
    pieces,
  );
}

/** Applies the effect of a fault to the reply. */
export function applyEffect(reply: PlainReply, effect: Effect | undefined): PlainReply {
  if (effect !== "malformed") return effect === undefined ? reply : reply.with({ effect });
  // With this prefix, no body is valid JSON.
  const pieces = ["}", ...reply.pieces];
  const headers = { ...reply.headers, "Content-Length": String(lengthOf(pieces)) };
  return reply.with({ headers, pieces });
}

/** The reply to a HEAD request: the same headers without the body. */
export function withoutBody(reply: PlainReply): PlainReply {
  // Without a body, there is nothing to truncate.
  const effect = reply.effect === "truncate" ? undefined : reply.effect;
  return reply.with({ pieces: [], effect });
}

/**
 * ASCII bodies up to this length stay strings: Node then sends them with the headers in one write,
 * which saves 2 µs per reply.
 */
const MAX_STRING_LENGTH = 1_000;
// oxlint-disable-next-line no-control-regex -- all of ASCII
const ASCII = /^[\x00-\x7f]*$/;

function toPieces(content: unknown): readonly Piece[] {
  const text: string | undefined = JSON.stringify(content);
  if (text === undefined)
    throw new TypeError("an operation returned a value that JSON cannot represent");
  return [text.length <= MAX_STRING_LENGTH && ASCII.test(text) ? text : encoder.encode(text)];
}

function toReply(
  status: number,
  requestId: string,
  pieces: readonly Piece[],
  type: string,
  extraHeaders?: Readonly<Record<string, string>>,
): PlainReply {
  const headers = {
    "Content-Type": type,
    "Content-Length": String(lengthOf(pieces)),
    "Unkey-Request-Id": requestId,
    ...crossOrigin,
  };
  const all = extraHeaders === undefined ? headers : { ...headers, ...extraHeaders };
  return new PlainReply(status, all, pieces);
}

/** Replaces everything but printable ASCII, which is safe in a header everywhere. */
function printable(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]+/g, "?");
}

/** CORS: lets pages of other origins read this header too. */
function exposeHeader(header: string) {
  const names = crossOrigin["Access-Control-Expose-Headers"];
  return { "Access-Control-Expose-Headers": `${names}, ${header}` };
}
