import { once } from "node:events";
import http, { type IncomingMessage } from "node:http";
import https from "node:https";
import { connect, type Socket } from "node:net";
import { type Duplex, pipeline } from "node:stream";
import { addressOf, credentialsOf } from "./no-proxy.ts";

export class TunnelRefused extends Error {
  override readonly name = "TunnelRefused" as const;
  readonly status: number;

  constructor(status: number, reason: string) {
    super(reason);
    this.status = status;
  }
}

/**
 * Opens a connection to a host, through an earlier proxy if there is one.
 * @throws TunnelRefused if that proxy refuses, or the error of the socket
 */
export async function openTunnel(
  { host, port }: { readonly host: string; readonly port: number },
  earlier: URL | undefined,
  signal: AbortSignal,
): Promise<Socket> {
  // A host may send more after this side has ended.
  if (earlier === undefined)
    return untilConnected(connect({ host, port, signal, allowHalfOpen: true }));
  const target = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  const request = (earlier.protocol === "https:" ? https : http).request({
    ...addressOf(earlier),
    method: "CONNECT",
    path: target,
    headers: ["Host", target, ...credentialsOf(earlier)],
    agent: false,
    signal,
  });
  request.end();
  const [{ statusCode = 502, statusMessage = "" }, socket, head] = (await once(
    request,
    "connect",
  )) as [IncomingMessage, Socket, Buffer];
  if (statusCode < 200 || statusCode > 299) {
    socket.destroy();
    // After a status below 200, a client would wait for another answer.
    throw new TunnelRefused(Math.max(statusCode, 300), statusMessage);
  }
  if (head.length > 0) socket.unshift(head);
  return socket;
}

async function untilConnected(socket: Socket): Promise<Socket> {
  await once(socket, "connect");
  return socket;
}

/** Passes the bytes of each connection to the other. If one breaks, both are closed. */
export function join(one: Duplex, other: Duplex): void {
  pipeline(one, other, one, () => {
    // If one has ended, the other may still have data to send.
    if (!one.writableFinished) one.destroy();
    other.destroy();
  });
}
