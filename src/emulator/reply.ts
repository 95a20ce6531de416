import { toErrorEnvelope, type ApiError } from "../contract/errors.ts";
import { shorten } from "../contract/shorten.ts";
import type { Effect } from "../contract/fault.ts";
import { concatenate } from "./concatenate.ts";
import type { PlainReply } from "./exchange.ts";

/** Browsers may call the operations from anywhere, and read the request id of the answer. */
const crossOrigin = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers": "Unkey-Request-Id",
};
const json = { "Content-Type": "application/json; charset=UTF-8" };
const encoder = new TextEncoder();
const nothing = new Uint8Array();

export function successReply(requestId: string, output: unknown): PlainReply {
  return jsonReply(200, requestId, output);
}

export function errorReply(requestId: string, error: ApiError): PlainReply {
  const { code, hint, message, status } = error;
  return jsonReply(status, requestId, toErrorEnvelope(code, message, requestId), {
    ...error.headers,
    ...hinting(hint),
  });
}

/** The same reply with a hint, behind the one that it has. */
export function withHint(reply: PlainReply, hint: string): PlainReply {
  const { "X-Latchkey-Hint": former } = reply.headers;
  const all = former === undefined ? hint : `${former}; ${hint}`;
  return { ...reply, headers: { ...reply.headers, ...hinting(all) } };
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
  return { status: 204, headers, body: nothing };
}

/** For the quirk `plain-404`: what the service's router says where it knows no route. */
export function plainNotFoundReply(requestId: string, hint: string | undefined): PlainReply {
  const type = { "Content-Type": "text/plain; charset=UTF-8" };
  return toReply(404, requestId, encoder.encode("404 Not Found"), { ...type, ...hinting(hint) });
}

/** The reply with what a fault does to it. */
export function distort(reply: PlainReply, effect: Effect | undefined): PlainReply {
  if (effect !== "malformed") return effect === undefined ? reply : { ...reply, effect };
  // Nothing that begins so is JSON.
  const body = concatenate([encoder.encode("}"), reply.body], reply.body.length + 1);
  const headers = { ...reply.headers, "Content-Length": String(body.length) };
  return { ...reply, headers, body };
}

/** The same reply without its body, as HEAD asks for. */
export function withoutBody(reply: PlainReply): PlainReply {
  const { effect, ...rest } = reply;
  // There is nothing of which a half could be sent.
  return { ...rest, body: nothing, effect: effect === "truncate" ? undefined : effect };
}

function jsonReply(
  status: number,
  requestId: string,
  content: unknown,
  headers: Readonly<Record<string, string>> = {},
): PlainReply {
  const text: string | undefined = JSON.stringify(content);
  if (text === undefined) throw new TypeError("an operation returned nothing that JSON can hold");
  return toReply(status, requestId, encoder.encode(text), { ...json, ...headers });
}

function toReply(
  status: number,
  requestId: string,
  body: Uint8Array,
  { "Content-Type": type = "", ...headers }: Readonly<Record<string, string>>,
): PlainReply {
  return {
    status,
    headers: {
      "Content-Type": type,
      "Content-Length": String(body.length),
      "Unkey-Request-Id": requestId,
      ...crossOrigin,
      ...headers,
    },
    body,
  };
}

/** Printable ASCII is what a header carries unchanged through every door. */
function printable(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]+/g, "?");
}

function exposing(header: string) {
  const names = crossOrigin["Access-Control-Expose-Headers"];
  return { "Access-Control-Expose-Headers": `${names}, ${header}` };
}
