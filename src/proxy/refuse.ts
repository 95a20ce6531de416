import { STATUS_CODES, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { linger } from "../http/linger.ts";
import { printable } from "../base/wording/printable.ts";
import { shorten } from "../base/wording/shorten.ts";

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
export function reasonOf({ code, message }: NodeJS.ErrnoException): string {
  return message || (code ?? "the connection failed");
}
