import { once } from "node:events";
import { STATUS_CODES, type IncomingMessage, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Emulator } from "../emulator/emulator.ts";
import {
  EventReply,
  firstHalf,
  isControlPath,
  isPagePath,
  maxBodyOf,
  splitTarget,
  type PlainReply,
} from "../service/exchange.ts";
import type { Lifetime } from "../world/lifetime.ts";
import { originProblem, remoteOf } from "./control-guard.ts";
import { linger } from "./linger.ts";
import { readBody } from "./read-body.ts";

/** What a connection is part of. */
interface ServerContext {
  readonly isClosing: boolean;
  /** What ends each reply that would go on until the client leaves, for when the server is closed. */
  readonly endless: Set<() => void>;
  /** Ends when the server waits for nothing any more. */
  readonly door: Lifetime;
  /** Hosts that control routes expect; undefined where there are none. */
  readonly hosts: ReadonlySet<string> | undefined;
  /** Whether other machines can reach the server. */
  readonly isBeyondLoopback: boolean;
  /** Whether there is a page to look at. */
  readonly hasPage: boolean;
}

/** Carries a request from the socket to the emulator, and its reply back. */
export async function answer(
  emulator: Emulator,
  request: IncomingMessage,
  response: ServerResponse,
  context: ServerContext,
): Promise<void> {
  const { door, hasPage, hosts, isBeyondLoopback } = context;
  const target = splitTarget(request.url ?? "");
  const controlHosts = isControlPath(target.path) ? hosts : undefined;
  const foreign = controlHosts && originProblem(request, controlHosts);
  const remote = controlHosts && isBeyondLoopback ? remoteOf(request) : undefined;
  const header = (name: string) => request.headers[name]?.toString();
  // Who may not steer is not listened to for long.
  const isHeard = controlHosts && foreign === undefined && emulator.mayControl({ header, remote });
  const body = hasBody(request)
    ? await readBody(request, maxBodyOf(isHeard ? target.path : ""))
    : NO_BODY;
  const { path, query } = target;
  const plain = { method: request.method ?? "", path, query, header, door, body, remote };
  // Loaded when it is asked for: most runs never are.
  const page =
    hasPage && isPagePath(path) ? await (await import("./page.ts")).readPage(plain) : undefined;
  const reply =
    page ??
    (await (controlHosts === undefined
      ? emulator.handle(plain)
      : emulator.control(plain, foreign)));
  // What is left of a body stands before the next request, so there is none.
  const isUnfinished = body !== NO_BODY && !request.complete;
  if (reply instanceof EventReply) await sendEvents(reply, response, context);
  else if (reply.effect !== undefined) sendEffect(reply, response, context);
  else if (isUnfinished) await sendLast(reply, request, response);
  else send(reply, response, { isLast: context.isClosing });
}

/** Does to the connection what a fault does. */
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
  { isLast }: { readonly isLast: boolean },
): void {
  response.writeHead(status, isLast ? { ...headers, Connection: "close" } : headers);
  // Node sends what is written in one turn at once.
  const last = pieces.length - 1;
  for (let index = 0; index < last; index += 1) response.write(pieces[index], "latin1");
  response.end(pieces[last], "latin1");
}

/** Sends events until the client goes, or the server does. */
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

/** Calls `stop` when the client goes, or the server does; at once where one of them has gone. */
function onEnd(
  response: ServerResponse,
  { endless, isClosing }: ServerContext,
  stop: () => void,
): void {
  const end = () => {
    endless.delete(end);
    stop();
  };
  if (isClosing || response.destroyed) return stop();
  endless.add(end);
  response.once("close", end);
}

/** Answers a client that is still sending, and hangs up when it has had the time to read. */
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

/** Nothing has to be waited for where no body was announced. */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined;
}

const NO_BODY = new Uint8Array();

/** Answers bytes that are not HTTP with the same envelope as everything else, and hangs up. */
export async function refuse(
  emulator: Emulator,
  error: { readonly code?: string | undefined },
  socket: Socket,
): Promise<void> {
  // It was refused before, or had its last reply; whatever else arrives on it is dropped.
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

interface Refusal {
  readonly status: number;
  readonly message: string;
  /** In the place of the phrase that belongs to the status. */
  readonly reason?: string;
}

const refusals: Record<string, Refusal> = {
  CONNECT: {
    status: 400,
    message:
      "method: expected a request to latchkey itself, got CONNECT, which asks a proxy for a tunnel; set the base URL of your client to the http:// address of latchkey, and do not use it as a proxy",
    // Clients show this line of a refused tunnel, and never the body.
    reason: "latchkey is not a proxy: set the base URL of your client to its http:// address",
  },
  HPE_HEADER_OVERFLOW: { status: 431, message: "expected less than 16 KiB of headers and URL" },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, message: "expected the whole request sooner" },
};

function toBytes({ status, headers, body }: PlainReply, reason: string | undefined): Buffer {
  const lines = Object.entries({ ...headers, Connection: "close" }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  const head = `HTTP/1.1 ${status} ${reason}\r\n${lines.join("")}\r\n`;
  return Buffer.concat([Buffer.from(head, "latin1"), body]);
}
