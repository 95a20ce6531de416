import { splitTarget } from "../service/request.ts";
import { isRecord } from "../base/json.ts";
import type { Principal } from "./principal.ts";

/** Names and values in the order in which they were sent. */
export type HeaderLines = readonly (readonly [name: string, value: string])[];

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

/** Where policies read a text. One member is set. */
interface Source {
  readonly header?: { readonly name: string } | undefined;
  readonly queryParam?: { readonly name: string } | undefined;
  readonly path?: object | undefined;
  readonly remoteIp?: object | undefined;
  readonly authenticatedSubject?: object | undefined;
  readonly principalField?: { readonly path: string } | undefined;
}

/** The texts at a place of a request or of its principal; none if it has no such place. */
export function textsAt(
  { authenticatedSubject, header, path, principalField, queryParam, remoteIp }: Source,
  request: GatewayRequest,
  principal?: Principal,
): readonly string[] {
  const sent = splitTarget(request.target);
  if (header) {
    const asked = header.name.toLowerCase();
    return request.headers.flatMap(([name, value]) => (name.toLowerCase() === asked ? value : []));
  }
  if (queryParam) return new URLSearchParams(sent.query).getAll(queryParam.name);
  if (path) return [decoded(sent.path)];
  if (remoteIp) return [request.address];
  const field = authenticatedSubject ? "subject" : (principalField?.path ?? "");
  let found: unknown = principal;
  for (const name of field.split("."))
    found = isRecord(found) && Object.hasOwn(found, name) ? found[name] : undefined;
  return typeof found === "string" ? [found] : [];
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** The request of a test, or of a server of the web. In process, no client has an address. */
export function fromWeb(request: Request): GatewayRequest {
  const { body, method, signal, url } = request;
  const { host, origin } = new URL(url);
  const headers = new Headers(request.headers);
  if (!headers.has("host")) headers.set("host", host);
  if (body !== null && !headers.has("content-length")) headers.set("transfer-encoding", "chunked");
  return {
    method,
    target: url.slice(origin.length),
    host: headers.get("host") ?? host,
    headers: [...headers],
    address: "127.0.0.1",
    signal,
    body,
    toWeb: (changed, ended) => new Request(request, { headers: changed, signal: ended }),
  };
}
