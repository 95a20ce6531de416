import { toHeaderText } from "../contract/headers.ts";
import type { Effect } from "../faults/fault-schema.ts";
import type { Piece } from "../operations/raw-json.ts";
import { lengthOf, PlainReply } from "./exchange.ts";

/** CORS: pages of any origin may call operations, and read the request id of the reply. */
export const crossOrigin = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers": "Unkey-Request-Id",
};
const encoder = new TextEncoder();

/** A copy of the reply with a hint appended to the existing one. */
export function withHint(reply: PlainReply, hint: string): PlainReply {
  const { "X-Latchkey-Hint": former } = reply.headers;
  const all = former === undefined ? hint : `${former}; ${hint}`;
  return reply.with({ headers: { ...reply.headers, ...hintHeaders(all) } });
}

/** A copy of the reply with more headers, which pages of other origins can read too. */
export function withHeaders(
  reply: PlainReply,
  headers: Readonly<Record<string, string>>,
): PlainReply {
  const exposed = exposing(reply.headers, Object.keys(headers));
  return reply.with({ headers: { ...exposed, ...headers } });
}

function hintHeaders(hint: string | undefined): Readonly<Record<string, string>> {
  if (hint === undefined) return {};
  const headers = { "X-Latchkey-Hint": toHeaderText(hint) };
  return { ...exposing(crossOrigin, Object.keys(headers)), ...headers };
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
 * ASCII text up to this length stay strings: Node then sends them with the headers in one write,
 * which saves 2 µs per reply.
 */
const MAX_STRING_LENGTH = 1_000;
// oxlint-disable-next-line no-control-regex -- all of ASCII
const ASCII = /^[\x00-\x7f]*$/;

/** The text of a body; undefined is what `JSON.stringify` returns for a value that JSON cannot hold. */
export function toPieces(text: string | undefined): readonly Piece[] {
  if (text === undefined)
    throw new TypeError("an operation returned a value that JSON cannot hold");
  return [text.length <= MAX_STRING_LENGTH && ASCII.test(text) ? text : encoder.encode(text)];
}

/** CORS: these headers, which let pages of other origins read the named ones too. */
function exposing(
  headers: Readonly<Record<string, string>>,
  names: readonly string[],
): Record<string, string> {
  const exposed = headers["Access-Control-Expose-Headers"];
  return { ...headers, "Access-Control-Expose-Headers": [exposed, ...names].join(", ") };
}
