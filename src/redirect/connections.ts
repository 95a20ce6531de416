import { Socket } from "node:net";
import tls, { type ConnectionOptions } from "node:tls";
import type { Redirects } from "./redirects.ts";
import { TlsStandIn } from "./tls-stand-in.ts";

/** What a client has to send first on a socket to the emulator. */
interface Awaited {
  /** The host that the client asked for. */
  readonly host: string;
  readonly protocol: "HTTP/1.1" | "TLS";
}

/** How the connections of a process are changed. */
export interface Connections {
  readonly redirects: Redirects;
  /** The sockets for redirected hosts on which nothing was written yet. */
  readonly awaited: WeakMap<Socket, Awaited>;
  /** The sockets to the emulator on which anything may be written. */
  readonly known: WeakSet<Socket>;
}

type Args = unknown[];

/**
 * Changes `connect` of sockets, by which `net.connect` and every HTTP client of Node open plain
 * connections.
 */
export function redirectSockets({ awaited, known, redirects }: Connections): void {
  const connect = Socket.prototype.connect as (this: Socket, ...args: Args) => Socket;
  function connectInstead(this: Socket, ...args: Args): Socket {
    // `net.connect` passes its arguments as an array, which it has read already.
    const [options, callback] = Array.isArray(args[0]) ? args[0] : readArgs(args);
    const { host, path, port } = options as { host?: unknown; path?: unknown; port?: unknown };
    if (!path && redirects.isTarget(host, Number(port))) known.add(this);
    if (path || !redirects.covers(host)) return connect.apply(this, args);
    const origin = redirects.find(host, Number(port));
    if (origin === undefined) return this.destroy(redirects.otherPort(host, port));
    if (this instanceof tls.TLSSocket) return this.destroy(redirects.refusal(host, OTHER_TLS));
    awaited.set(this, { host, protocol: origin.isSecure ? "TLS" : "HTTP/1.1" });
    const { lookup: _, localAddress: __, ...others } = options;
    return connect.call(this, { ...others, ...redirects.target }, callback ?? undefined);
  }
  Socket.prototype.connect = connectInstead as typeof Socket.prototype.connect;
}

const OTHER_TLS = "expected tls.connect or https.request, got a TLSSocket made in another way";

/** Changes `tls.connect`, by which `https`, `fetch` and `http2` open their connections. */
export function redirectTls({ awaited, redirects }: Connections): void {
  const connect = tls.connect as (...args: Args) => tls.TLSSocket;
  function connectInstead(...args: Args): Socket {
    const [first, callback] = readArgs(args);
    // Options may also come after the port and the host.
    const options: ConnectionOptions = { ...first, ...args.slice(1).find(isOptions) };
    const socket = options.socket as Socket | undefined;
    // A program that connects to an address, and asks for the host there, means the host.
    const isNamed = !socket && redirects.covers(options.host);
    const host = isNamed
      ? options.host
      : ((socket && awaited.get(socket)?.host) ?? options.servername);
    if (options.path || !redirects.covers(host)) return connect(...args);
    // A socket was checked when it was connected.
    if (!socket && !redirects.find(host, Number(options.port))?.isSecure) {
      throw redirects.otherPort(host, options.port);
    }
    if (!takesHttp1(options.ALPNProtocols)) {
      throw redirects.refusal(
        host,
        "expected a client that can speak HTTP/1.1, got one for HTTP/2 only",
      );
    }
    socket?.destroy();
    const instead = new TlsStandIn(host, options);
    awaited.set(instead, { host, protocol: "HTTP/1.1" });
    return instead.open(redirects.target, options, callback ?? undefined);
  }
  tls.connect = connectInstead as typeof tls.connect;
  tls.TLSSocket = new Proxy(tls.TLSSocket, {
    construct(target, args, newTarget) {
      const made: Socket = Reflect.construct(target, args, newTarget);
      const { host } = awaited.get(args[0]) ?? {};
      return host === undefined ? made : made.destroy(redirects.refusal(host, OTHER_TLS));
    },
  });
}

/** Reads the arguments of `connect`: options, or a path, or port and host; perhaps a callback. */
function readArgs(args: Args): [options: Record<string, unknown>, callback?: () => void] {
  const [first, second] = args;
  const last = args.at(-1);
  const callback = typeof last === "function" ? [last as () => void] : [];
  if (isOptions(first)) return [first, ...callback] as never;
  if (typeof first === "string" && Number.isNaN(Number(first)))
    return [{ path: first }, ...callback] as never;
  return [
    { port: first, ...(typeof second === "string" ? { host: second } : {}) },
    ...callback,
  ] as never;
}

function isOptions(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

/** Whether a list of protocols, or its bytes, has HTTP/1.1. Without a list, it is meant. */
function takesHttp1(protocols: ConnectionOptions["ALPNProtocols"]): boolean {
  const list = [protocols ?? []].flat();
  return list.length === 0 || list.some((item) => Buffer.from(item as string).includes("http/1.1"));
}
