import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
// Taken now: a test may put fake ones in the place of the global ones, and never run them.
import { clearTimeout, setTimeout } from "node:timers";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Emulator } from "../emulator/emulator.ts";
import { checkNames } from "../world/check-names.ts";
import { Lifetime } from "../world/lifetime.ts";
import { requireEmulator } from "../emulator/require-emulator.ts";
import { UsageError } from "../usage-error.ts";
import { answer, refuse } from "./answer.ts";
import { EXPECTED_HOSTS, expectedHosts, isHostName, isLoopback } from "./control-guard.ts";
import { listen } from "./listen.ts";

export interface ServeOptions {
  /** 0 takes a free one. Default: 0. */
  readonly port?: number | undefined;
  /** Default: both loopback addresses, 127.0.0.1 and ::1. */
  readonly host?: string | undefined;
  /** Whether there are control routes, under `/_latchkey`. Default: true. */
  readonly control?: boolean | undefined;
  /**
   * Whether there is a page to look at it, at `/` and `/_latchkey/ui`. It steers by the control
   * routes, so without them there is none. Default: true.
   */
  readonly ui?: boolean | undefined;
  /**
   * Further host names under which control routes may be called, as other containers do. Default:
   * `localhost`, 127.0.0.1, [::1] and `host`.
   */
  readonly allowHosts?: readonly string[] | undefined;
}

export interface RunningServer {
  readonly url: string;
  /** Whether a page to look at it is there. */
  readonly hasPage: boolean;
  readonly port: number;
  /** Whether the control routes are there. */
  readonly hasControl: boolean;
  /** Whether other machines can reach it. */
  readonly isBeyondLoopback: boolean;
  /** Stops accepting and waits for the requests in flight, `grace` milliseconds at most (2,000). */
  close(options?: { readonly grace?: number }): Promise<void>;
}

const GRACE = 2_000;

const limits = {
  /** A client that has said nothing whole by then is hung up on (milliseconds). */
  headersTimeout: 20_000,
  requestTimeout: 60_000,
  connectionsCheckingInterval: 5_000,
  /** Longer than clients keep a connection, so that none sends into one that is closing. */
  keepAliveTimeout: 65_000,
  // Nothing here depends on the host; without it, Node would answer for us and in its own words.
  requireHostHeader: false,
};

/**
 * Serves an emulator over HTTP.
 * @throws UsageError for what is no emulator or no port, ListenError when the address cannot be
 *   listened on
 */
export async function serve(
  emulator: Emulator,
  options: ServeOptions = {},
): Promise<RunningServer> {
  requireEmulator(emulator, "serve");
  checkNames("serve", options, ["port", "host", "control", "ui", "allowHosts"]);
  const { allowHosts = [], control = true, host, port = 0, ui = true } = options;
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new UsageError(`serve: port: expected an integer from 0 to 65535, got ${String(port)}`);
  }
  if (!Array.isArray(allowHosts) || allowHosts.some((name) => !isHostName(name))) {
    throw new UsageError(`serve: allowHosts: ${EXPECTED_HOSTS}`);
  }
  const door = new Lifetime();
  const endless = new Set<() => void>();
  const context = {
    door,
    endless,
    isClosing: false,
    hasPage: control && ui,
    hosts: control ? expectedHosts(host, allowHosts) : undefined,
    isBeyondLoopback: true,
  };

  /** The connections, each with the replies that it waits for, the oldest first. */
  const connections = new Map<Socket, Set<ServerResponse>>();
  function onReplied(this: ServerResponse) {
    connections.get(this.req.socket)?.delete(this);
  }
  const onRequest = (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    const replies = connections.get(socket) ?? new Set();
    const before = [...replies].at(-1);
    replies.add(response);
    response.on("close", onReplied);
    const begin = () => {
      // What was answered before it may have been the last.
      if (!socket.writable) return;
      // A client that goes away is nobody's fault; whatever else fails has been answered with 500.
      answer(emulator, request, response, context).catch(() => socket.destroy());
    };
    // A client may send many requests at once and take no replies: made ahead, those would pile up.
    if (before === undefined) begin();
    else before.once("close", begin);
  };
  const onBroken = (error: { readonly code?: string | undefined }, socket: Socket) => {
    const replies = [...(connections.get(socket) ?? [])];
    const whole = replies.findLast(({ req }) => req.complete);
    // What broke stands behind whole requests, so those are answered first.
    if (whole !== undefined) whole.once("close", () => void refuse(emulator, error, socket));
    // An envelope in the middle of another reply would garble that one.
    else if (replies.some(({ headersSent }) => headersSent)) socket.destroy();
    else void refuse(emulator, error, socket);
  };
  const create = (): Server => {
    const server = createServer(limits, onRequest);
    server.on("connection", (socket: Socket) => {
      connections.set(socket, new Set());
      socket.once("close", () => connections.delete(socket));
    });
    // Node would answer 417 itself; an expectation changes nothing here.
    server.on("checkExpectation", onRequest);
    server.on("clientError", onBroken);
    // Without a listener, Node hangs up without a word.
    server.on("connect", ({ socket }) => {
      // Node has taken its listeners off the socket and reads it no more. Without these, a reset
      // would end the process, and a client that leaves would not be noticed.
      socket.on("error", () => {});
      socket.once("end", () => socket.end()).resume();
      onBroken({ code: "CONNECT" }, socket);
    });
    return server;
  };

  const listening = await listen(create, { port, host });
  const addresses = listening.servers.map((server) => server.address() as AddressInfo);
  const isBeyondLoopback = !addresses.every(({ address }) => isLoopback(address));
  context.isBeyondLoopback = isBeyondLoopback;
  return {
    url: `http://${listening.host}:${listening.port}`,
    port: listening.port,
    hasPage: context.hasPage,
    hasControl: control,
    isBeyondLoopback,
    async close({ grace = GRACE } = {}) {
      context.isClosing = true;
      for (const end of endless) end();
      const stopped = Promise.all(listening.servers.map(stop));
      // What has arrived by now is read first.
      for (let turn = 0; turn < 2; turn += 1) await nextTurn();
      // Node does not count a connection as idle on which nothing has been sent.
      for (const socket of connections.keys()) if (socket.bytesRead === 0) socket.destroy();
      // Nor does it know of one any more on which it has met CONNECT.
      const timer = setTimeout(() => {
        door.end();
        for (const socket of connections.keys()) socket.destroy();
      }, grace);
      await stopped;
      clearTimeout(timer);
      door.end();
    },
  };
}

function stop(server: Server): Promise<void> {
  // Also closes the connections that wait for no reply.
  return new Promise((resolve) => void server.close(() => resolve()));
}
