import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
// Not the global function: a test may replace it with a fake one that never calls back.
import { setImmediate } from "node:timers";
import type { Emulator } from "../../emulator/emulator.ts";
import {
  type Body,
  hostnameOf,
  isControlPath,
  MAX_BODY_BYTES,
  maxBodyOf,
  PAGE_PATH,
  splitTarget,
} from "../../service/request.ts";
import { EventReply, firstHalf, type PlainReply } from "../../service/reply.ts";
import { Lifetime } from "../../base/lifetime.ts";
import { type Allowed, answerControl, guardControl, shareWith } from "./control.ts";
import { linger } from "./refuse.ts";

/** The part of a server's state that replies depend on. */
interface ServerContext {
  /**
   * Ends when the server begins to close, and ends everything that would go on: event streams, calls that
   * a fault hangs, and waiting control requests.
   */
  readonly openLifetime: Lifetime;
  /** Ends the delays of faults when the server stops waiting for pending requests. */
  readonly doorLifetime: Lifetime;
  /** From where control routes may be called; undefined without control routes. */
  readonly allowed: Allowed | undefined;
  /** In lower case. */
  readonly redirectedHosts: readonly string[];
  readonly outcomes: Map<number | "lost", number>;
  /**
   * Whether the paths of the web page are answered: with the page, or with a text that says why it is
   * missing.
   */
  readonly answersPage: boolean;
}

/** Reads a request, passes it to the emulator, and sends the reply. Rejects if it cannot be sent. */
export async function answer(
  emulator: Emulator,
  request: IncomingMessage,
  response: ServerResponse,
  context: ServerContext,
): Promise<void> {
  const { doorLifetime, redirectedHosts } = context;
  const isRedirected =
    redirectedHosts.length > 0 && redirectedHosts.includes(hostnameOf(request.headers.host ?? ""));
  // A redirected request gets operations only: no control routes, and no page.
  const allowed = isRedirected ? undefined : context.allowed;
  const answersPage = context.answersPage && !isRedirected;
  const { path, query } = splitTarget(request.url ?? "");
  const header = (name: string) => request.headers[name]?.toString();
  const guarded =
    allowed !== undefined && isControlPath(path)
      ? guardControl(emulator, request, header, allowed)
      : undefined;
  if (guarded?.origin !== undefined) shareWith(guarded.origin, response);
  const maxBytes = guarded === undefined ? MAX_BODY_BYTES : maxBodyOf(path, guarded.scope);
  const body = await readBody(request, maxBytes);
  const plain = {
    method: request.method ?? "",
    path,
    query,
    header,
    doorLifetime,
    body,
    remoteReason: guarded?.remoteReason,
    clientLifetime: ({ orClosing }: { readonly orClosing?: true } = {}) =>
      clientLifetimeOf(response, orClosing && context),
  };
  const mayBePage = answersPage && (path === "/" || path.startsWith(PAGE_PATH));
  // Loaded on demand, because most runs never serve the page.
  let reply = mayBePage ? await (await import("./page.ts")).readPageFile(plain) : undefined;
  if (reply === undefined && guarded !== undefined) {
    reply = await answerControl(emulator, request, plain, guarded);
  }
  if (reply === undefined) {
    reply = await emulator.handle(plain);
    const outcome = reply.effect === undefined ? reply.status : "lost";
    context.outcomes.set(outcome, (context.outcomes.get(outcome) ?? 0) + 1);
  }
  // Node would read the rest of the body as the next request, so the connection has to be closed.
  const isUnfinished = "tooLarge" in body && !request.complete;
  if (reply instanceof EventReply) await sendEvents(reply, response, context);
  else if (reply.effect === "drop") request.socket.destroySoon();
  else if (reply.effect === "truncate") sendHalf(reply, response);
  else if (isUnfinished) await sendAndClose(reply, request, response);
  else send(reply, response, context);
}

/**
 * How much of a longer body is discarded, because most clients read no reply before they have sent the
 * whole body.
 */
const MAX_DROPPED_BYTES = 16 * 1_048_576;
const NO_BODY = new Uint8Array();

/**
 * Reads a body of up to `max` bytes, and discards a longer one. If the client disconnects before, the
 * promise stays pending, and is forgotten with the request.
 */
function readBody(request: IncomingMessage, max: number): Body | Promise<Body> {
  const { headers } = request;
  // Without one of these headers, a request has no body (RFC 9112, 6.3).
  if (headers["content-length"] === undefined && headers["transfer-encoding"] === undefined) {
    return NO_BODY;
  }
  return new Promise((resolve) => {
    let chunks: Uint8Array[] = [];
    let length = 0;
    request.on("data", (chunk: Uint8Array) => {
      length += chunk.length;
      if (length <= max) chunks.push(chunk);
      else chunks = [];
      if (length > max + MAX_DROPPED_BYTES) resolve({ tooLarge: max });
    });
    request.on("end", () => {
      const [first = NO_BODY] = chunks;
      if (length > max) resolve({ tooLarge: max });
      else resolve(chunks.length > 1 ? Buffer.concat(chunks, length) : first);
    });
  });
}

function sendHalf(reply: PlainReply, response: ServerResponse): void {
  response.writeHead(reply.status, reply.headers);
  response.write(firstHalf(reply), () => response.req.socket.destroy());
}

function send(
  { headers, pieces, status }: PlainReply,
  response: ServerResponse,
  context: ServerContext,
): void {
  const closes = context.openLifetime.isOver;
  response.writeHead(status, closes ? { ...headers, Connection: "close" } : headers);
  // Written after this turn of the event loop, so that the replies to all requests that arrived in it
  // are sent together. Otherwise the kernel may wake up the client for each of them, which can cost as
  // much as to write a reply.
  setImmediate(() => {
    // Node combines all writes of one turn of the event loop, so a short reply is one packet. A piece
    // that is a string is ASCII (see `Piece`), so "latin1" writes it unchanged.
    const last = pieces.length - 1;
    for (let index = 0; index < last; index += 1) response.write(pieces[index], "latin1");
    response.end(pieces[last], "latin1");
    // The server was closed after the head was written, which says that the connection stays open.
    if (context.openLifetime.isOver && !closes) response.req.socket.destroySoon();
  });
}

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
function onEnd(response: ServerResponse, { openLifetime }: ServerContext, stop: () => void): void {
  if (openLifetime.isOver || response.destroyed) return stop();
  const forget = openLifetime.onEnd(stop);
  response.once("close", () => {
    forget();
    stop();
  });
}

/**
 * Ends when the client disconnects.
 * @param context if it is given, the lifetime ends too when the server is closed
 */
function clientLifetimeOf(response: ServerResponse, context: ServerContext | undefined): Lifetime {
  const lifetime = new Lifetime();
  const end = () => lifetime.end();
  if (context !== undefined) onEnd(response, context, end);
  else if (response.destroyed) end();
  else response.once("close", end);
  return lifetime;
}

/** Answers a client that still sends a body, and then closes the connection; see `linger`. */
async function sendAndClose(
  { headers, pieces, status }: PlainReply,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  response.writeHead(status, { ...headers, Connection: "close" });
  for (const piece of pieces) response.write(piece, "latin1");
  await linger(request);
  response.end();
}
