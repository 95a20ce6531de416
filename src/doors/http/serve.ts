import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
// Not the global timers: a test may replace them with fake ones that never call back.
import { clearTimeout, setTimeout } from "node:timers";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Emulator } from "../../emulator/emulator.ts";
import { Lifetime } from "../../base/lifetime.ts";
import { requireEmulator } from "../../emulator/web.ts";
import { answer } from "./answer.ts";
import { allowedHosts, allowedOrigins, isLoopback } from "./control.ts";
import { listen } from "./listen.ts";
import { hasPageFiles } from "./page-files.ts";
import { refuseBytes } from "./refuse.ts";
import { hosts, serverOptions } from "./server-options.ts";
import * as f from "../../schema/fields.ts";
import { lazyMembers, type OptionsOf, shapeFor } from "../../schema/lazy-shape.ts";
import { readOrThrow } from "../../schema/problems.ts";

/** The options of `serve`: those that the command line has too, and these. */
export interface ServeOptions extends OptionsOf<typeof serverOptions> {
  /**
   * Hosts whose programs are redirected to the server, like `api.unkey.com`. A request with one of them
   * in `Host` can call operations only: control routes and the web page are answered 404. Default: none.
   */
  readonly redirectedHosts?: readonly string[] | undefined;
}

const members = { ...serverOptions, ...lazyMembers({ redirectedHosts: hosts }) };

/** A server that `serve` has started. */
export interface RunningServer {
  /** The base URL for clients, like `http://localhost:4000`. */
  readonly url: string;
  /** Whether the web page is served: it is switched on and its files exist, which a bundle lacks. */
  readonly hasPage: boolean;
  /** The port that it listens on. */
  readonly port: number;
  /** Whether the control routes are served. */
  readonly hasControl: boolean;
  /**
   * How many calls ended with each status, or `lost` if a fault held back the reply. Control routes and
   * the web page do not count.
   */
  readonly outcomes: ReadonlyMap<number | "lost", number>;
  /** Whether other machines can reach the server. */
  readonly isBeyondLoopback: boolean;
  /**
   * Lets the process end although the server was not closed, like `unref` of a Node.js server. Returns
   * this object.
   */
  unref(): RunningServer;
  /**
   * Stops accepting requests, and waits for pending ones, at most `grace` milliseconds (default:
   * 2,000). Then it closes all connections.
   */
  close(options?: { readonly grace?: number }): Promise<void>;
  /** As `close`, at the end of the block of `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

const GRACE = 2_000;
/**
 * How long idle connections stay open, in milliseconds: longer than clients keep them, so that no client
 * uses a connection that is being closed.
 */
export const KEEP_ALIVE = 65_000;

const limits = {
  // How long the headers and the whole request may take, in milliseconds. The error reply in refuse.ts
  // names these limits.
  headersTimeout: 20_000,
  requestTimeout: 60_000,
  connectionsCheckingInterval: 5_000,
  keepAliveTimeout: KEEP_ALIVE,
  // By default, Node answers requests without `Host` with a 400. Operations need no host.
  requireHostHeader: false,
};

/**
 * Serves an emulator over HTTP.
 * @throws UsageError if an argument is invalid, ListenError if the server cannot listen on its address
 */
export async function serve(
  emulator: Emulator,
  options: ServeOptions = {},
): Promise<RunningServer> {
  requireEmulator(emulator, "serve");
  readOrThrow(f.objectOf(shapeFor(members, options)), options, "serve");
  const { allowHosts = [], allowOrigins = [], control = true, host, port = 0, ui = true } = options;
  const { publicUrl, redirectedHosts = [] } = options;
  // The page at the public URL is the emulator's own page.
  const ofProxy = publicUrl === undefined ? undefined : new URL(publicUrl);
  const doorLifetime = new Lifetime();
  const openLifetime = new Lifetime();
  const context = {
    doorLifetime,
    openLifetime,
    outcomes: new Map<number | "lost", number>(),
    answersPage: control && ui,
    redirectedHosts: redirectedHosts.map((name) => name.toLowerCase()),
    allowed: control
      ? {
          hosts: allowedHosts(host, [...allowHosts, ...(ofProxy ? [ofProxy.hostname] : [])]),
          origins: allowedOrigins([...allowOrigins, ...(ofProxy ? [ofProxy.origin] : [])]),
          isPublic: ofProxy !== undefined,
        }
      : undefined,
  };

  /**
   * The replies of each open connection, the oldest first. Finished replies are removed at the next
   * request. A finished reply is `destroyed`, even if all of it was sent. In Deno it has no `closed`.
   */
  const connections = new Map<Socket, ServerResponse[]>();
  let isUnref = false;
  const onRequest = (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    const replies = connections.get(socket) ?? [];
    while (replies[0]?.destroyed) replies.shift();
    const previous = replies.at(-1);
    replies.push(response);
    const begin = () => {
      // The previous reply may have closed the connection.
      if (!socket.writable) return;
      // This rejects only if the reply cannot be sent. Any other error is answered with a 500.
      answer(emulator, request, response, context).catch(() => socket.destroy());
    };
    // Pipelined requests are answered one at a time. Otherwise a client that sends many requests and
    // reads no replies could fill the memory.
    if (previous === undefined) begin();
    else previous.once("close", begin);
  };
  const onBroken = (error: { readonly code?: string | undefined }, socket: Socket) => {
    const replies = connections.get(socket)?.filter(({ destroyed }) => !destroyed) ?? [];
    const lastComplete = replies.findLast(({ req }) => req.complete);
    // The complete requests before the broken one are answered first.
    if (lastComplete !== undefined)
      lastComplete.once("close", () => void refuseBytes(emulator, error, socket));
    // An error reply would corrupt a reply that has begun.
    else if (replies.some(({ headersSent }) => headersSent)) socket.destroy();
    else void refuseBytes(emulator, error, socket);
  };
  const create = (): Server => {
    const server = createServer(limits, onRequest);
    // By default, Node ignores all headers after the first 2,000. They could be those of a proxy, like
    // `X-Forwarded-For`. All headers together are still limited to 16 KiB.
    server.maxHeadersCount = 0;
    server.on("connection", (socket: Socket) => {
      connections.set(socket, []);
      if (isUnref) socket.unref();
      socket.once("close", () => connections.delete(socket));
    });
    // Without a listener, Node answers an unknown `Expect` with 417. Here it is ignored.
    server.on("checkExpectation", onRequest);
    server.on("clientError", onBroken);
    // Without a listener, Node closes the connection without a reply.
    server.on("connect", ({ socket }) => {
      // Node has removed its own listeners and stopped reading (nodejs/node#18868). Without these
      // listeners, a connection reset would crash the process, and the end of the connection would go
      // unnoticed.
      socket.on("error", () => {});
      socket.once("end", () => socket.end()).resume();
      onBroken({ code: "CONNECT" }, socket);
    });
    return server;
  };

  const listening = await listen(create, { port, host });
  const addresses = listening.servers.map((server) => server.address() as AddressInfo);
  const isBeyondLoopback = !addresses.every(({ address }) => isLoopback(address));
  const server: RunningServer = {
    url: `http://${listening.host}:${listening.port}`,
    port: listening.port,
    hasPage: context.answersPage && hasPageFiles(),
    hasControl: control,
    outcomes: context.outcomes,
    isBeyondLoopback,
    unref() {
      isUnref = true;
      for (const each of [...listening.servers, ...connections.keys()]) each.unref();
      return server;
    },
    close,
    [Symbol.asyncDispose]: () => close(),
  };
  return server;

  async function close({ grace = GRACE }: Parameters<RunningServer["close"]>[0] = {}) {
    openLifetime.end();
    const stopped = Promise.all(listening.servers.map(stop));
    // Node first reads the requests that have arrived already.
    for (let turn = 0; turn < 2; turn += 1) await nextTurn();
    // `server.close` does not close connections on which the client has sent nothing.
    for (const socket of connections.keys()) if (socket.bytesRead === 0) socket.destroy();
    // `server.closeAllConnections` does not close connections after a CONNECT.
    const timer = setTimeout(() => {
      doorLifetime.end();
      for (const socket of connections.keys()) socket.destroy();
    }, grace);
    await stopped;
    clearTimeout(timer);
    doorLifetime.end();
  }
}

export function stop(server: Server): Promise<void> {
  // This also closes idle connections.
  return new Promise((resolve) => void server.close(() => resolve()));
}
