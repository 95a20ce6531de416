import { toErrorEnvelope, type ApiError } from "../contract/errors.ts";
import type { ProblemEnvelope } from "../contract/problem-v2.ts";
import { shorten } from "../schema/shorten.ts";
import type { Effect } from "../faults/fault-schema.ts";
import { RawJson, type Piece } from "../operations/raw-json.ts";
import { lengthOf, PlainReply } from "./exchange.ts";

/** Browsers may call the operations from anywhere, and read the request id of the answer. */
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
  return toReply(status, requestId, pieces, json, { ...error.headers, ...hinting(hint) });
}

/** A refusal of v2, with the headers of `error`. The service sends no request id as a header there. */
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
      ...hinting(hint),
    },
    pieces,
  );
}

/** The same reply with a hint, behind the one that it has. */
export function withHint(reply: PlainReply, hint: string): PlainReply {
  const { "X-Latchkey-Hint": former } = reply.headers;
  const all = former === undefined ? hint : `${former}; ${hint}`;
  return reply.with({ headers: { ...reply.headers, ...hinting(all) } });
}

/** Clients read 16 kB of headers and no more. */
const MAX_HINT = 2_000;

function hinting(hint: string | undefined): Readonly<Record<string, string>> {
  if (hint === undefined) return {};
  const text = printable(shorten(hint, MAX_HINT));
  return { "X-Latchkey-Hint": text, ...exposing("X-Latchkey-Hint") };
}

/** Answers a browser that asks whether it may send the real request. */
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
 * For the quirk `plain-404`: what the service's router of v1 says where it knows no route. The body
 * cannot say what is missing, so a hint does.
 */
export function plainNotFoundReply(requestId: string, { message }: ApiError): PlainReply {
  const pieces = ["404 Not Found"];
  return toReply(404, requestId, pieces, "text/plain; charset=UTF-8", hinting(message));
}

/** The same for v2, whose router tells a wrong method apart. */
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
      ...hinting(message),
    },
    pieces,
  );
}

/** The reply with what a fault does to it. */
export function applyEffect(reply: PlainReply, effect: Effect | undefined): PlainReply {
  if (effect !== "malformed") return effect === undefined ? reply : reply.with({ effect });
  // Nothing that begins so is JSON.
  const pieces = ["}", ...reply.pieces];
  const headers = { ...reply.headers, "Content-Length": String(lengthOf(pieces)) };
  return reply.with({ headers, pieces });
}

/** The same reply without its body, as HEAD asks for. */
export function withoutBody(reply: PlainReply): PlainReply {
  // There is nothing of which a half could be sent.
  const effect = reply.effect === "truncate" ? undefined : reply.effect;
  return reply.with({ pieces: [], effect });
}

/** So short a text is sent with its headers, as one: 2 µs less. */
const SHORT = 1_000;
// oxlint-disable-next-line no-control-regex -- where ASCII begins
const ASCII = /^[\x00-\x7f]*$/;

function toPieces(content: unknown): readonly Piece[] {
  const text: string | undefined = JSON.stringify(content);
  if (text === undefined) throw new TypeError("an operation returned nothing that JSON can hold");
  return [text.length <= SHORT && ASCII.test(text) ? text : encoder.encode(text)];
}

function toReply(
  status: number,
  requestId: string,
  pieces: readonly Piece[],
  type: string,
  more?: Readonly<Record<string, string>>,
): PlainReply {
  const headers = {
    "Content-Type": type,
    "Content-Length": String(lengthOf(pieces)),
    "Unkey-Request-Id": requestId,
    ...crossOrigin,
  };
  return new PlainReply(status, more === undefined ? headers : { ...headers, ...more }, pieces);
}

/** Printable ASCII is what a header carries unchanged through every door. */
function printable(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]+/g, "?");
}

function exposing(header: string) {
  const names = crossOrigin["Access-Control-Expose-Headers"];
  return { "Access-Control-Expose-Headers": `${names}, ${header}` };
}
