import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Gateway } from "../../gateway/gateway.ts";
import type { GatewayRequest } from "../../gateway/request.ts";
import { linesOf } from "../../gateway/upstream.ts";
import { listen } from "./listen.ts";
import { KEEP_ALIVE, type RunningServer, stop } from "./serve.ts";

/**
 * Serves a gateway over HTTP. Bodies are streamed in both directions.
 * @throws ListenError if it cannot listen on the address
 */
export async function serveGateway(
  gateway: Gateway,
  { host, port = 0 }: { readonly host?: string | undefined; readonly port?: number } = {},
) {
  // No timeout for requests: the service's gateway waits as long as the program does.
  const limits = { keepAliveTimeout: KEEP_ALIVE, requestTimeout: 0, requireHostHeader: false };
  const outcomes = new Map<number | "lost", number>();
  const create = () =>
    createServer(limits, (request, response) => {
      response.on("close", () => {
        const outcome = response.headersSent ? response.statusCode : "lost";
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      });
      // The client has disconnected, or the program broke off its response.
      answer(gateway, request, response).catch(() => response.destroy());
    });
  const { servers, ...address } = await listen(create, { host, port });
  return {
    url: `http://${address.host}:${address.port}`,
    /** How many requests were answered with each status, or not at all. */
    outcomes: outcomes as RunningServer["outcomes"],
    /** Closes all connections. */
    async close() {
      for (const server of servers) server.closeAllConnections();
      await Promise.all(servers.map(stop));
    },
  };
}

async function answer(
  gateway: Gateway,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const client = new AbortController();
  response.on("close", () => client.abort());
  const reply = await gateway.handle(toGatewayRequest(request, client.signal));
  response.writeHead(reply.status, reply.statusText || undefined, [...reply.headers].flat());
  if (reply.body === null) response.end();
  else await pipeline(Readable.fromWeb(reply.body as never), response);
}

function toGatewayRequest(request: IncomingMessage, signal: AbortSignal): GatewayRequest {
  const { headers, method = "", rawHeaders, socket, url: target = "" } = request;
  const hasBody = "content-length" in headers || "transfer-encoding" in headers;
  return {
    method,
    target,
    headers: linesOf(rawHeaders),
    address: socket.remoteAddress?.replace(/^::ffff:/, "") ?? "",
    signal,
    body: hasBody ? request : null,
    toWeb(newHeaders, newSignal) {
      const origin = `http://${headers.host || "localhost"}`;
      // A target may be a whole URL. One like `//orders` is none.
      const url = URL.canParse(target) ? target : origin + target;
      const init = { method, headers: newHeaders, signal: newSignal };
      // A `Request` with one of these methods has no body.
      const takesBody = hasBody && !["GET", "HEAD"].includes(method);
      return new Request(url, {
        ...init,
        ...(takesBody && { body: Readable.toWeb(request) as never, duplex: "half" }),
      });
    },
  };
}
