import { Socket, type TcpSocketConnectOpts } from "node:net";
import tls, { type ConnectionOptions } from "node:tls";
import type { Redirects } from "./origins.ts";
import { TlsStandIn } from "./tls-stand-in.ts";

type Args = unknown[];
type Options = Record<string, unknown>;

/** The plain connections that were redirected, with the host that was asked for. */
const redirected = new WeakMap<object, string>();

/**
 * Changes `connect` of sockets, which `net.connect` and every HTTP client of Node use for plain
 * connections.
 */
export function redirectSockets(redirects: Redirects): void {
  const connect = Socket.prototype.connect as (this: Socket, ...args: Args) => Socket;
  function connectInstead(this: Socket, ...args: Args): Socket {
    // `net.connect` passes its arguments as an array, which it has read already.
    const isRead = Array.isArray(args[0]) && isOptions(args[0][0]);
    const [options, callback] = isRead ? (args[0] as unknown as Read) : readArgs(args);
    const { host, path, port } = options;
    redirected.delete(this);
    if (path || !redirects.covers(host)) return connect.apply(this, args);
    if (this instanceof tls.TLSSocket) return refuse(this, redirects.refusal(host, MADE_BY_HAND));
    if (redirects.find(host, port) === undefined)
      return refuse(this, redirects.otherPort(host, port));
    redirected.set(this, host);
    refuseHttp2(this, () => redirects.refusal(host, HTTP2));
    return connect.call(this, toTarget(redirects, options), callback);
  }
  Socket.prototype.connect = connectInstead as typeof Socket.prototype.connect;
}

/**
 * Changes `tls.connect`, which `https`, `fetch` and `http2` use for their connections, also over an
 * existing socket, like the tunnel of a proxy. A TLSSocket that is made by hand is refused.
 */
export function redirectTls(redirects: Redirects): void {
  const connect = tls.connect as (...args: Args) => tls.TLSSocket;
  function connectInstead(...args: Args): Socket {
    const [first, callback] = readArgs(args);
    // Options may also come after the port and the host.
    const options: ConnectionOptions = { ...first, ...(args.slice(1).find(isOptions) as Options) };
    const { host, path, port, servername } = options;
    const socket = options.socket as Socket | undefined;
    const name = [socket && redirected.get(socket), host, servername].find((text) =>
      redirects.covers(text),
    );
    if (name === undefined) return connect(...args);
    // It gets an error listener, because TLS over the socket would have added one.
    socket?.on("error", () => {}).destroy();
    const instead = new TlsStandIn(name, options);
    // The port at the end of a tunnel is not known here.
    if (redirects.find(name, socket || path ? undefined : port, true) === undefined)
      return refuse(instead, redirects.otherPort(name, port));
    refuseHttp2(instead, () => redirects.refusal(name, HTTP2));
    return instead.open(toTarget(redirects, options as Options), callback);
  }
  tls.connect = connectInstead as typeof tls.connect;

  const { setServername } = tls.TLSSocket.prototype as unknown as { setServername: SetServername };
  Object.assign(tls.TLSSocket.prototype, {
    setServername(this: Socket, name: string) {
      if (redirects.covers(name)) refuse(this, redirects.refusal(name, MADE_BY_HAND));
      else setServername.call(this, name);
    },
  });
  tls.TLSSocket = new Proxy(tls.TLSSocket, {
    construct(target, args, newTarget) {
      const made: Socket = Reflect.construct(target, args, newTarget);
      const host = redirected.get(args[0]);
      return host === undefined ? made : refuse(made, redirects.refusal(host, MADE_BY_HAND));
    },
  });
}

type SetServername = (this: Socket, name: string) => void;

const MADE_BY_HAND = "expected tls.connect or https.request, got a TLSSocket that was made by hand";
const HTTP2 = "expected a client that can speak HTTP/1.1, got one for HTTP/2 only";

/** Makes HTTP/2 over the socket fail: only `http2` calls this method. */
function refuseHttp2(socket: Socket, toError: () => Error): void {
  Object.assign(socket, { disableRenegotiation: () => void refuse(socket, toError()) });
}

/** Ends a connection with an error. Not at once, because `http2` would end the process. */
function refuse(socket: Socket, error: Error): Socket {
  Object.assign(socket, { connecting: true });
  process.nextTick(() => socket.destroy(error));
  return socket;
}

/** The options of a connection to the emulator that replaces the one with these options. */
function toTarget({ target }: Redirects, options: Options): TcpSocketConnectOpts {
  const { keepAlive, keepAliveInitialDelay, noDelay } = options as Partial<TcpSocketConnectOpts>;
  return { ...target, keepAlive, keepAliveInitialDelay, noDelay };
}

type Read = [options: Options, callback: (() => void) | undefined];

/** Reads the arguments of `connect`: options, or a path, or port and host; perhaps a callback. */
function readArgs(args: Args): Read {
  const [first, second] = args;
  const last = args.at(-1);
  const callback = typeof last === "function" ? (last as () => void) : undefined;
  if (isOptions(first)) return [first, callback];
  const isPath = typeof first === "string" && !(Number(first) >= 0);
  const host = typeof second === "string" ? { host: second } : {};
  return [isPath ? { path: first } : { port: first, ...host }, callback];
}

function isOptions(value: unknown): value is Options {
  return typeof value === "object" && value !== null;
}
