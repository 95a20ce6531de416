import { toErrorEnvelope, type ApiError } from "../contract/errors.ts";
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
  const hints =
    hint === undefined
      ? {}
      : { "X-Latchkey-Hint": printable(hint), ...exposing("X-Latchkey-Hint") };
  return jsonReply(status, requestId, toErrorEnvelope(code, message, requestId), {
    ...error.headers,
    ...hints,
  });
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

/** The same reply without its body, as HEAD asks for. */
export function withoutBody(reply: PlainReply): PlainReply {
  return { ...reply, body: nothing };
}

function jsonReply(
  status: number,
  requestId: string,
  content: unknown,
  headers: Readonly<Record<string, string>> = {},
): PlainReply {
  const text: string | undefined = JSON.stringify(content);
  if (text === undefined) throw new TypeError("an operation returned nothing that JSON can hold");
  const body = encoder.encode(text);
  return {
    status,
    headers: {
      ...json,
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
