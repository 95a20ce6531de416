import { Socket } from "node:net";
import type { Connections } from "./connections.ts";

/** The longest host name has 253 characters. */
const START_CHARACTERS = 300;
/** Node's clients and servers take no longer headers. */
const HEADER_CHARACTERS = 16_384;
/** `PRI` is how HTTP/2 begins. */
const HTTP_1 = /^(?!PRI )[A-Za-z-]+ /;
const TUNNEL = /^CONNECT (\[[^\]\s]+\]|[^\s:]+):(\d+) /;
const TO_PROXY = /^[A-Z]+ https?:\/\/(\[[^\]\s]+\]|[^\s:/?#]+)/;
const REQUEST = /^[A-Z]+ \//;
const NAMED_HOST = /\r\nhost:[ \t]*(\[[^\]\s]+\]|[^\s:]+)/i;

type Args = [chunk: unknown, ...others: unknown[]];

/**
 * Changes `write` of sockets, to find requests for a redirected host on other connections, like those to a
 * proxy. A tunnel through a proxy is answered here, so the proxy never sees it.
 */
export function watchWrites({ awaited, known, redirects }: Connections): void {
  const write = Socket.prototype.write as (this: Socket, ...args: Args) => boolean;
  function writeWatched(this: Socket, ...args: Args): boolean {
    const text = startOf(args[0], START_CHARACTERS);
    if (text === "") return write.apply(this, args);
    const { host: own, protocol } = awaited.get(this) ?? {};
    if (own !== undefined) {
      if (protocol !== "HTTP/1.1" || !HTTP_1.test(text)) {
        return refuse(this, own, `expected ${protocol}, got other bytes`);
      }
      awaited.delete(this);
      known.add(this);
    }
    if (known.has(this)) return write.apply(this, args);
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
    if (redirects.covers(asked)) return refuse(this, asked, OF_PROXY);
    const named = REQUEST.test(text) ? namedHost(args[0]) : undefined;
    if (redirects.covers(named)) return refuse(this, named, OF_ANOTHER);
    return write.apply(this, args);
  }
  function refuse(socket: Socket, host: string, problem: string): boolean {
    socket.destroy(redirects.refusal(host, problem));
    return false;
  }
  Socket.prototype.write = writeWatched as typeof Socket.prototype.write;
  writeAtEnd();
}

const OF_PROXY = "expected a direct connection, got a request to a proxy";
const OF_ANOTHER =
  "expected a connection to this host, got a request with its name in `Host` on another connection";

/** Changes `end` of sockets, which would send its data without `write`. */
function writeAtEnd(): void {
  const end = Socket.prototype.end as (this: Socket, ...args: unknown[]) => Socket;
  function endWatched(this: Socket, ...args: unknown[]): Socket {
    const [chunk, encoding] = args;
    if (typeof chunk !== "string" && !(chunk instanceof Uint8Array)) return end.apply(this, args);
    this.write(chunk, ...((typeof encoding === "string" ? [encoding] : []) as []));
    return end.call(this, ...args.filter((value) => typeof value === "function"));
  }
  Socket.prototype.end = endWatched as typeof Socket.prototype.end;
}

function namedHost(chunk: unknown): string | undefined {
  const [headers = ""] = startOf(chunk, HEADER_CHARACTERS).split("\r\n\r\n", 1);
  return NAMED_HOST.exec(headers)?.[1];
}

function startOf(chunk: unknown, characters: number): string {
  if (typeof chunk === "string") return chunk.slice(0, characters);
  if (!(chunk instanceof Uint8Array)) return "";
  const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  return bytes.toString("latin1", 0, characters);
}

function callBack(args: readonly unknown[]): void {
  const callback = args.at(-1);
  if (typeof callback === "function") process.nextTick(callback as () => void);
}
