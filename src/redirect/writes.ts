import { Socket } from "node:net";
import type { Connections } from "./connections.ts";

/** The longest host name has 253 characters. */
const READ_CHARACTERS = 300;
/** `PRI` is how HTTP/2 begins. */
const HTTP_1 = /^(?!PRI )[A-Za-z-]+ /;
const TUNNEL = /^CONNECT (\[[^\]\s]+\]|[^\s:]+):(\d+) /;
const TO_PROXY = /^[A-Z]+ https?:\/\/(\[[^\]\s]+\]|[^\s:/?#]+)/;

type Args = [chunk: unknown, ...others: unknown[]];

/**
 * Changes `write` of sockets, to find requests for a redirected host on other connections: those to a
 * proxy. A tunnel through a proxy is answered here, so the proxy never sees it.
 */
export function watchWrites({ awaited, redirects }: Connections): void {
  const write = Socket.prototype.write as (this: Socket, ...args: Args) => boolean;
  function writeWatched(this: Socket, ...args: Args): boolean {
    const text = startOf(args[0]);
    if (text === "") return write.apply(this, args);
    const { host: own, protocol } = awaited.get(this) ?? {};
    if (own !== undefined) {
      if (protocol === "HTTP/1.1" && HTTP_1.test(text)) {
        awaited.delete(this);
        return write.apply(this, args);
      }
      return refuse(this, own, `expected ${protocol}, got other bytes`);
    }
    const [, host, port] = TUNNEL.exec(text) ?? [];
    if (redirects.covers(host)) {
      if (!redirects.find(host, Number(port))?.isSecure) {
        this.destroy(redirects.otherPort(host, port));
        return false;
      }
      awaited.set(this, { host, protocol: "TLS" });
      callBack(args);
      process.nextTick(() => this.push("HTTP/1.1 200 Connection established\r\n\r\n"));
      return true;
    }
    const [, asked] = TO_PROXY.exec(text) ?? [];
    if (!redirects.covers(asked)) return write.apply(this, args);
    return refuse(this, asked, "expected a direct connection, got a request to a proxy");
  }
  function refuse(socket: Socket, host: string, problem: string): boolean {
    socket.destroy(redirects.refusal(host, problem));
    return false;
  }
  Socket.prototype.write = writeWatched as typeof Socket.prototype.write;
}

function startOf(chunk: unknown): string {
  if (typeof chunk === "string") return chunk.slice(0, READ_CHARACTERS);
  if (!(chunk instanceof Uint8Array)) return "";
  return Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString(
    "latin1",
    0,
    READ_CHARACTERS,
  );
}

function callBack(args: readonly unknown[]): void {
  const callback = args.at(-1);
  if (typeof callback === "function") process.nextTick(callback as () => void);
}
