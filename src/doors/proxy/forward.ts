import http, { STATUS_CODES, type IncomingMessage, type ServerResponse } from "node:http";
import https from "node:https";
import type { Socket } from "node:net";
import { HOP_BY_HOP } from "../../base/hop-by-hop.ts";
import { linger } from "../http/refuse.ts";
import { printable, shorten } from "../../base/wording/text.ts";

export interface NextStop {
  readonly isSecure: boolean;
  readonly host: string;
  readonly port: number;
  /** The target in its first line: a path, or a URL for a proxy. */
  readonly path: string;
  /** Further headers: names and values in turn. */
  readonly headers?: readonly string[];
}

/** Characters that Node does not write into a first line. */
const UNWRITABLE = /[^\t -~\x80-\xff]/g;

/** Sends a request to its next stop, and the reply back. No behaviour of that host may end this process. */
export function forward(request: IncomingMessage, response: ServerResponse, next: NextStop): void {
  const { headers = [], isSecure, ...address } = next;
  const sent = (isSecure ? https : http).request({
    ...address,
    method: request.method,
    headers: [...passedOn(request), ...headers],
    agent: false,
  });
  const fail = (problem: string) => {
    if (response.writableEnded) return;
    if (response.headersSent) response.destroy();
    else if (!response.destroyed)
      refuseRequest(response, 502, `${next.host}:${next.port}: ${problem}`);
  };
  sent.on("response", (reply) => {
    const { statusCode = 0, statusMessage = "" } = reply;
    response.sendDate = false;
    // Node accepts some statuses and reasons that it refuses to write.
    if (statusCode < 200) {
      fail(`expected a reply, got the status ${statusCode}`);
      return void sent.destroy();
    }
    const reason = statusMessage.replaceAll(UNWRITABLE, " ");
    response.writeHead(statusCode, reason, passedOn(reply, statusCode === 204));
    // These have no body (RFC 9112, 6.3). If the host sends one, Node reports an error.
    if (request.method === "HEAD" || statusCode === 204 || statusCode === 304) {
      response.end();
      return;
    }
    reply.pipe(response);
    // The reply broke off, and the client must notice.
    reply.on("close", () => reply.complete || response.destroy());
  });
  sent.on("error", (error) => fail(connectionFailure(error)));
  // For an unexpected 101, Node closes the connection without an error.
  sent.on("close", () => response.headersSent || fail("the connection ended without a reply"));
  response.on("close", () => sent.destroy());
  request.pipe(sent);
}

/**
 * The headers of a message unchanged, without headers for one hop. Node has answered `Expect`.
 * @param isWithout whether to leave out the length of the body: a 204 may have none (RFC 9110, 8.6)
 */
function passedOn({ headers, rawHeaders }: IncomingMessage, isWithout = false): string[] {
  const named = new Set(headers.connection?.toLowerCase().split(/[\s,]+/));
  // These say where the body ends, and which host is meant. They cannot be for one hop.
  const ofBody = ["content-length", "transfer-encoding"];
  for (const name of ["host", ...ofBody]) named.delete(name);
  if (isWithout) for (const name of ofBody) named.add(name);
  const isKept = (name = "") => !HOP_BY_HOP.test(name) && !named.has(name.toLowerCase());
  // Names are at even places, each before its value.
  return rawHeaders.filter((_, index) => isKept(rawHeaders[index - (index % 2)]));
}

const CHALLENGE = 'Basic realm="latchkey"';

/** Answers a request that is not passed on. The body says why. */
export function refuseRequest(response: ServerResponse, status: number, problem: string): void {
  response.writeHead(status, {
    "Content-Type": "text/plain; charset=utf-8",
    Connection: "close",
    ...(status === 407 ? { "Proxy-Authenticate": CHALLENGE } : {}),
  });
  response.end(`latchkey: ${problem}\n`);
}

/** Refuses a tunnel. Clients show only the status line, so it says why. */
export async function refuseTunnel(socket: Socket, status: number, problem: string): Promise<void> {
  const reason = printable(shorten(problem, 400)) || STATUS_CODES[status];
  const challenge = status === 407 ? [`Proxy-Authenticate: ${CHALLENGE}`] : [];
  const lines = [
    `HTTP/1.1 ${status} ${reason}`,
    ...challenge,
    "Content-Length: 0",
    "Connection: close",
  ];
  socket.end(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
  await linger(socket);
  socket.destroy();
}

/** Why a connection failed. If several addresses were tried, only the code says it. */
export function connectionFailure({ code, message }: NodeJS.ErrnoException): string {
  return message || (code ?? "the connection failed");
}
