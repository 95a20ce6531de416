import http, { type IncomingMessage, type ServerResponse } from "node:http";
import https from "node:https";
import { reasonOf, refuseRequest } from "./refuse.ts";

/** Where a request goes on. */
export interface NextStop {
  readonly isSecure: boolean;
  readonly host: string;
  readonly port: number;
  /** What its first line names: a path, or a URL for a proxy. */
  readonly path: string;
  /** Names and values of further headers. */
  readonly headers?: readonly string[];
}

/** Headers that are for a proxy, or for one connection (RFC 9110, 7.6.1). Node has answered `Expect`. */
const FOR_ONE_HOP =
  /^(?:connection|expect|keep-alive|proxy-authenticate|proxy-authorization|proxy-connection|te|trailer|upgrade)$/i;

/** Sends a request to its next stop, and the reply back. */
export function forward(request: IncomingMessage, response: ServerResponse, next: NextStop): void {
  const { headers = [], isSecure, ...address } = next;
  const sent = (isSecure ? https : http).request({
    ...address,
    method: request.method,
    headers: [...passedOn(request), ...headers],
    agent: false,
  });
  sent.on("response", (reply) => {
    response.sendDate = false;
    response.writeHead(reply.statusCode ?? 502, reply.statusMessage, passedOn(reply));
    reply.pipe(response);
    // The reply has broken off, and the client must not take it for a whole one.
    reply.on("close", () => reply.complete || response.destroy());
  });
  sent.on("error", (error) => {
    if (response.headersSent) response.destroy();
    else refuseRequest(response, 502, `${next.host}:${next.port}: ${reasonOf(error)}`);
  });
  response.on("close", () => sent.destroy());
  request.pipe(sent);
}

/** The headers of a message as it has them, without those for one hop. */
function passedOn({ headers, rawHeaders }: IncomingMessage): string[] {
  const named = new Set(headers.connection?.toLowerCase().split(/[\s,]+/));
  // These say where the body ends, and which host is meant. They cannot be for one hop.
  for (const name of ["content-length", "host", "transfer-encoding"]) named.delete(name);
  const isKept = (name = "") => !FOR_ONE_HOP.test(name) && !named.has(name.toLowerCase());
  // Names are at even places, each before its value.
  return rawHeaders.filter((_, index) => isKept(rawHeaders[index - (index % 2)]));
}
