import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Gateway } from "../../gateway/gateway.ts";
import type { GatewayRequest } from "../../gateway/request.ts";
import { linesOf } from "../../gateway/upstream.ts";
import { listen } from "./listen.ts";
import type { RunningServer } from "./serve.ts";

/** A server that `serveGateway` has started. */
export type RunningGateway = Pick<RunningServer, "url" | "port"> & {
  /** Closes all connections. */
  close(): Promise<void>;
};

/**
 * Serves a gateway over HTTP. Bodies pass through in pieces.
 * @throws ListenError if it cannot listen on the address
 */
export async function serveGateway(
  gateway: Gateway,
  {
    host,
    port = 0,
  }: { readonly host?: string | undefined; readonly port?: number | undefined } = {},
): Promise<RunningGateway> {
  const onRequest = (request: IncomingMessage, response: ServerResponse) => {
    // The client has left, or the program has broken off its reply.
    answer(gateway, request, response).catch(() => response.destroy());
  };
  // No limit for a request: the gateway of the service waits as long as its program.
  const create = () => createServer({ requestTimeout: 0, requireHostHeader: false }, onRequest);
  const { servers, ...address } = await listen(create, { host, port });
  return {
    url: `http://${address.host}:${address.port}`,
    port: address.port,
    async close() {
      for (const server of servers) server.closeAllConnections();
      await Promise.all(servers.map((server) => new Promise((done) => server.close(done))));
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
  const headers = [...reply.headers].flat();
  response.sendDate = !reply.headers.has("date");
  response.writeHead(reply.status, reply.statusText || undefined, headers);
  if (reply.body === null) response.end();
  else await pipeline(Readable.fromWeb(reply.body as never), response);
}

function toGatewayRequest(request: IncomingMessage, signal: AbortSignal): GatewayRequest {
  const { headers, method = "", rawHeaders, socket, url: target = "" } = request;
  const host = headers.host ?? "";
  const hasBody =
    headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined;
  return {
    method,
    target,
    host,
    headers: linesOf(rawHeaders),
    address: socket.remoteAddress?.replace(/^::ffff:/, "") ?? "",
    signal,
    body: hasBody ? request : null,
    toWeb: (changed, changedSignal) =>
      new Request(new URL(target, `http://${host || "localhost"}`), {
        method,
        headers: changed,
        signal: changedSignal,
        ...(hasBody && { body: Readable.toWeb(request) as never, duplex: "half" }),
      }),
  };
}
