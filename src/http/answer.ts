import { once } from "node:events";
import { STATUS_CODES, type IncomingMessage, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
// Not the global function: a test may replace it by a fake one that never calls back.
import { setImmediate } from "node:timers";
import type { Emulator } from "../emulator/emulator.ts";
import { isControlPath, isPagePath, maxBodyOf, splitTarget } from "../service/request.ts";
import { EventReply, firstHalf, type PlainReply } from "../service/reply.ts";
import type { Lifetime } from "../base/lifetime.ts";
import { originProblem, remoteReasonOf } from "./control-guard.ts";
import { linger } from "./linger.ts";
import { readBody } from "./read-body.ts";

/** The part of a server's state that replies depend on. */
interface ServerContext {
  /** Whether `close` was called. */
  readonly isClosing: boolean;
  /** Called by `close` to end replies that never end: event streams, and replies with the fault `hang`. */
  readonly endlessReplies: Set<() => void>;
  /** Ends the delays of faults when the server stops waiting for pending requests. */
  readonly doorLifetime: Lifetime;
  /** The hosts under which control routes may be called; undefined without control routes. */
  readonly hosts: ReadonlySet<string> | undefined;
  /** Whether other machines can reach the server. */
  readonly isBeyondLoopback: boolean;
  /** Whether the web page is served. */
  readonly hasPage: boolean;
}

/** Reads a request, passes it to the emulator, and sends the reply. Rejects if the client disconnects. */
export async function answer(
  emulator: Emulator,
  request: IncomingMessage,
  response: ServerResponse,
  context: ServerContext,
): Promise<void> {
  const { doorLifetime, hasPage, hosts, isBeyondLoopback } = context;
  const target = splitTarget(request.url ?? "");
  const controlHosts = isControlPath(target.path) ? hosts : undefined;
  const problem = controlHosts && originProblem(request, controlHosts);
  const remoteReason = controlHosts && isBeyondLoopback ? remoteReasonOf(request) : undefined;
  const header = (name: string) => request.headers[name]?.toString();
  const mayControl =
    controlHosts && problem === undefined && emulator.mayControl({ header, remoteReason });
  const body = hasBody(request)
    ? await readBody(request, maxBodyOf(target.path, mayControl === true))
    : NO_BODY;
  const { path, query } = target;
  const plain = {
    method: request.method ?? "",
    path,
    query,
    header,
    doorLifetime,
    body,
    remoteReason,
  };
  // Loaded on demand, because most runs never serve the page.
  const page =
    hasPage && isPagePath(path) ? await (await import("./page.ts")).readPageFile(plain) : undefined;
  const reply =
    page ??
    (await (controlHosts === undefined
      ? emulator.handle(plain)
      : emulator.control(plain, problem)));
  // Node would read the rest of the body as the next request, so the connection has to be closed.
  const isUnfinished = body !== NO_BODY && !request.complete;
  if (reply instanceof EventReply) await sendEvents(reply, response, context);
  else if (reply.effect !== undefined) sendEffect(reply, response, context);
  else if (isUnfinished) await sendLast(reply, request, response);
  else send(reply, response, context);
}

/** Applies the effect of a fault to the connection. */
function sendEffect(reply: PlainReply, response: ServerResponse, context: ServerContext): void {
  const { socket } = response.req;
  switch (reply.effect) {
    case "drop":
      socket.destroySoon();
      break;
    case "hang":
      onEnd(response, context, () => socket.destroy());
      break;
    case "truncate":
      response.writeHead(reply.status, reply.headers);
      response.write(firstHalf(reply), () => socket.destroy());
      break;
  }
}

function send(
  { headers, pieces, status }: PlainReply,
  response: ServerResponse,
  context: ServerContext,
): void {
  const isLast = context.isClosing;
  response.writeHead(status, isLast ? { ...headers, Connection: "close" } : headers);
  // Written after this turn of the event loop, so that the replies to all requests that arrived in it
  // are sent together. Otherwise the kernel may wake up the client for each of them, which can cost as
  // much as to write a reply.
  setImmediate(() => {
    write(pieces, response);
    // The server was closed after the head was made. The head says that the connection stays open.
    if (context.isClosing && !isLast) response.req.socket.destroySoon();
  });
}

function write(pieces: PlainReply["pieces"], response: ServerResponse): void {
  // Node combines all writes of one turn of the event loop, so a short reply is one packet. A piece that
  // is a string is ASCII (see `Piece`), so "latin1" writes it unchanged.
  const last = pieces.length - 1;
  for (let index = 0; index < last; index += 1) response.write(pieces[index], "latin1");
  response.end(pieces[last], "latin1");
}

/** Sends events until the client disconnects or the server is closed. */
async function sendEvents(
  { events, headers, status }: EventReply,
  response: ServerResponse,
  context: ServerContext,
): Promise<void> {
  const end = new AbortController();
  const { signal } = end;
  onEnd(response, context, () => end.abort());
  response.writeHead(status, { ...headers, Connection: "close" });
  for await (const text of events(signal)) {
    if (!response.write(text)) await once(response, "drain", { signal }).catch(() => {});
  }
  response.end();
}

/** Calls `stop` when the client disconnects or the server is closed, or at once if it was. */
function onEnd(
  response: ServerResponse,
  { endlessReplies, isClosing }: ServerContext,
  stop: () => void,
): void {
  const end = () => {
    endlessReplies.delete(end);
    stop();
  };
  if (isClosing || response.destroyed) return stop();
  endlessReplies.add(end);
  response.once("close", end);
}

/** Answers a client that still sends a body, and then closes the connection; see `linger`. */
async function sendLast(
  { headers, pieces, status }: PlainReply,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  response.writeHead(status, { ...headers, Connection: "close" });
  for (const piece of pieces) response.write(piece, "latin1");
  await linger(request);
  response.end();
}

/** Without one of these headers, a request has no body (RFC 9112, 6.3). */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined;
}

const NO_BODY = new Uint8Array();

/** Answers bytes that are not HTTP with the usual error envelope, and closes the connection. */
export async function refuse(
  emulator: Emulator,
  error: { readonly code?: string | undefined },
  socket: Socket,
): Promise<void> {
  // The last reply was sent already. Anything that still arrives is ignored.
  if (socket.writableEnded) return;
  if (!socket.writable || error.code === "ECONNRESET") {
    socket.destroy();
    return;
  }
  const refusal = refusals[error.code ?? ""] ?? {
    status: 400,
    message: "expected an HTTP request",
  };
  const { message, status, reason = STATUS_CODES[status] } = refusal;
  socket.end(toBytes(emulator.refuse(status, message), reason));
  await linger(socket);
  socket.destroy();
}

interface SocketRefusal {
  readonly status: number;
  readonly message: string;
  /** The reason phrase of the status line. Default: the standard one of the status. */
  readonly reason?: string;
}

const refusals: Record<string, SocketRefusal> = {
  CONNECT: {
    status: 400,
    message:
      "method: expected a request to latchkey itself, got CONNECT, which asks a proxy for a tunnel; set the base URL of your client to the http:// address of latchkey, and do not use it as a proxy",
    // If a proxy refuses a tunnel, clients show only the status line, without the body.
    reason: "latchkey is not a proxy: set the base URL of your client to its http:// address",
  },
  HPE_HEADER_OVERFLOW: { status: 431, message: "expected less than 16 KiB of headers and URL" },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    message: "expected the headers within 20 seconds and the whole request within 60",
  },
};

function toBytes({ status, headers, body }: PlainReply, reason: string | undefined): Buffer {
  const lines = Object.entries({ ...headers, Connection: "close" }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  const head = `HTTP/1.1 ${status} ${reason}\r\n${lines.join("")}\r\n`;
  return Buffer.concat([Buffer.from(head, "latin1"), body]);
}
