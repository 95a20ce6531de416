import { splitTarget } from "../service/request.ts";
import { isRecord } from "../base/json.ts";
import type { Principal } from "./principal.ts";

/** Names and values, in the order in which they were sent. */
export type HeaderLines = readonly (readonly [name: string, value: string])[];

/** A request at the gateway, from HTTP or from `fetch`. */
export interface GatewayRequest {
  readonly method: string;
  /** Path and query, unchanged. */
  readonly target: string;
  readonly headers: HeaderLines;
  /** The address of the client. */
  readonly address: string;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
  /** A stream of the web or of Node.js; null if there is no body. */
  readonly body: ReadableStream<Uint8Array> | NodeJS.ReadableStream | null;
  /** The request with other headers, for a program that is a function. */
  toWeb(headers: Headers, signal: AbortSignal): Request;
}

/** Where a policy reads a text. Exactly one member is set. */
interface Source {
  readonly header?: { readonly name: string } | undefined;
  readonly queryParam?: { readonly name: string } | undefined;
  readonly path?: object | undefined;
  readonly remoteIp?: object | undefined;
  readonly authenticatedSubject?: object | undefined;
  readonly principalField?: { readonly path: string } | undefined;
}

/** The texts that a source has in a request or its principal; empty if there are none. */
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

/** Converts a request of `fetch`. Its client has no address, so it gets 127.0.0.1. */
export function fromWeb(request: Request): GatewayRequest {
  const { body, method, signal, url } = request;
  const { host, origin } = new URL(url);
  const headers = new Headers(request.headers);
  if (!headers.has("host")) headers.set("host", host);
  if (body !== null && !headers.has("content-length")) headers.set("transfer-encoding", "chunked");
  return {
    method,
    target: url.slice(origin.length),
    headers: [...headers],
    address: "127.0.0.1",
    signal,
    body,
    toWeb: (newHeaders, newSignal) =>
      new Request(request, { headers: newHeaders, signal: newSignal }),
  };
}
