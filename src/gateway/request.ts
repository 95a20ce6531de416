import { splitTarget } from "../service/request.ts";

/** A request at the gateway, whatever brought it. */
export interface GatewayRequest {
  readonly method: string;
  /** Path and query as they were sent. */
  readonly target: string;
  /** The host that the request names, perhaps with a port. */
  readonly host: string;
  readonly headers: HeaderLines;
  /** The address of the client. */
  readonly address: string;
  /** Aborted when the client leaves. */
  readonly signal: AbortSignal;
  /** A stream of the web or of Node.js; null if there is no body. */
  readonly body: ReadableStream<Uint8Array> | NodeJS.ReadableStream | null;
  /** The request with other headers, for a program that is a function. */
  toWeb(headers: Headers, signal: AbortSignal): Request;
}

/** Names and values in the order in which they were sent. */
export type HeaderLines = readonly (readonly [name: string, value: string])[];

/** The value of each line with this header. */
export function valuesOf({ headers }: Pick<GatewayRequest, "headers">, name: string): string[] {
  const asked = name.toLowerCase();
  return headers.filter(([each]) => each.toLowerCase() === asked).map(([, value]) => value);
}

/** The path without the query, decoded as in Go. */
export function pathOf({ target }: Pick<GatewayRequest, "target">): string {
  const { path } = splitTarget(target);
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

export function queryOf({ target }: Pick<GatewayRequest, "target">): URLSearchParams {
  return new URLSearchParams(splitTarget(target).query);
}

/** The host without a port, a dot at its end, and the brackets of an address. */
export function hostnameOf(host: string): string {
  const name = /^\[([^\]]*)\]/.exec(host)?.[1] ?? host.replace(/:\d*$/, "");
  return name.replace(/\.$/, "").toLowerCase();
}

/** The request that a test or a server of the web passes. In process no client has an address. */
export function fromWeb(request: Request): GatewayRequest {
  const { body, method, signal, url } = request;
  const host = request.headers.get("host") ?? new URL(url).host;
  const headers = [...request.headers].filter(([name]) => name !== "host");
  const isUnframed = body !== null && !request.headers.has("content-length");
  return {
    method,
    target: url.slice(new URL(url).origin.length),
    host,
    headers: [
      ["Host", host],
      ...headers,
      ...(isUnframed ? ([["Transfer-Encoding", "chunked"]] as const) : []),
    ],
    address: "127.0.0.1",
    signal,
    body,
    toWeb: (changed, changedSignal) =>
      new Request(request, { headers: changed, signal: changedSignal }),
  };
}
