import type { IncomingMessage, ServerResponse } from "node:http";
import { PlainReply } from "../service/reply.ts";
import type { Allowed } from "./control-guard.ts";

/** The allowed origin whose page sends this request; undefined if it comes from no such page. */
export function allowedOriginOf(
  { headers: { origin } }: IncomingMessage,
  { origins }: Allowed,
): string | undefined {
  return origin !== undefined && origins.has(origin) ? origin : undefined;
}

/** Lets pages of this origin read the response to a control request, whatever it is. */
export function shareWith(origin: string, response: ServerResponse): void {
  response.setHeader("Access-Control-Allow-Origin", origin);
  response.setHeader("Access-Control-Expose-Headers", "X-Latchkey-Hint");
  response.setHeader("Vary", "Origin");
}

/** Whether a browser asks whether a page may send a control request. */
export function isControlPreflight({ headers, method }: IncomingMessage): boolean {
  return method === "OPTIONS" && headers["access-control-request-method"] !== undefined;
}

/** Allows every method of control routes, so that a page can read why a call is refused. */
export function controlPreflightReply({ headers }: IncomingMessage): PlainReply {
  const requested = headers["access-control-request-headers"];
  return new PlainReply(
    204,
    {
      "Access-Control-Allow-Methods": "GET, POST, PUT, DELETE",
      ...(requested === undefined ? {} : { "Access-Control-Allow-Headers": requested }),
      "Cache-Control": "no-store",
    },
    [],
  );
}
