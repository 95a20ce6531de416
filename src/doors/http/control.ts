import type { IncomingMessage, ServerResponse } from "node:http";
import type { Emulator } from "../../emulator/emulator.ts";
import { PlainReply } from "../../service/reply.ts";
import type { PlainRequest } from "../../service/request.ts";
import { isIPv6 } from "node:net";
import { quoted, wholeOrLength } from "../../base/wording/text.ts";

/** Hosts that always mean this machine. */
const OWN_HOSTS = ["localhost", "127.0.0.1", "[::1]"];

/** What control routes accept in the headers of a request, to keep foreign web pages out. */
export interface Allowed {
  /** The hosts under which control routes may be called. */
  readonly hosts: ReadonlySet<string>;
  /** Origins whose pages may call control routes, in addition to the emulator's own page. */
  readonly origins: ReadonlySet<string>;
  /** Whether there is a public URL, so that requests through a proxy on this machine count as local. */
  readonly isPublic: boolean;
}

/**
 * Checks `Host`, `Origin` and `Sec-Fetch-Site`, and returns the problem; undefined if there is none. It
 * protects against web pages that a user visits. They could send requests to this machine (cross-site
 * request forgery), even under their own host name, if it resolves to this machine (DNS rebinding).
 * `Origin` is not enough, because browsers do not send it with images and links.
 */
function originProblem(
  { headers }: Pick<IncomingMessage, "headers">,
  { hosts, origins }: Allowed,
): string | undefined {
  const { host, origin, "sec-fetch-site": site } = headers;
  const name = hostName(host);
  if (name === undefined || !hosts.has(name)) {
    const got = name === undefined ? "none" : quoted(name, 100);
    return `host: expected ${[...hosts].join(" or ")}, got ${got}; allow further hosts with --allow-host, in code allowHosts`;
  }
  if (origin !== undefined && origins.has(origin)) return undefined;
  if (origin !== undefined && origin !== `http://${host}`) {
    return `origin: expected http://${wholeOrLength(host ?? "", 100)}, as from the emulator's own page, or no page, got ${quoted(origin, 100)}; allow pages of further origins with --allow-origin, in code allowOrigins`;
  }
  // A page of another origin caused the request.
  if (site !== "cross-site" && site !== "same-site") return undefined;
  return `sec-fetch-site: expected same-origin, as from the emulator's own page, or none, got ${quoted(site, 100)}; pages of other origins cannot use control routes in this way`;
}

/** Loopback addresses as Node writes them. On a dual-stack socket, IPv4 addresses are `::ffff:…`. */
const LOOPBACK = /^(?:(?:::ffff:)?127\.\d+\.\d+\.\d+|::1)$/;

export function isLoopback(address: string | undefined): boolean {
  return address !== undefined && LOOPBACK.test(address);
}

const WITH_TOKEN =
  "start with a control token, and send it (--control-token, or the option controlToken)";

/**
 * Why a request may come from another machine, and what to do; undefined if it comes from this one. The
 * reason is its address, or a header of a proxy, which may pass on requests of other machines.
 * @param isPublic whether there is a public URL, which means that requests come through a proxy
 */
function remoteReasonOf(
  { headers, socket: { remoteAddress } }: IncomingMessage,
  isPublic: boolean,
): string | undefined {
  if (!isLoopback(remoteAddress)) {
    return `comes from ${remoteAddress ?? "an unknown address"}; ${WITH_TOKEN}`;
  }
  if (isPublic) return undefined;
  const forwarded = Object.keys(headers).find((name) => /^(?:x-)?forwarded(?:-|$)/.test(name));
  if (forwarded === undefined) return undefined;
  return `has the header ${forwarded}, as a proxy adds it; give the URL of your proxy (--public-url, or the option publicUrl), or ${WITH_TOKEN}`;
}

export const EXPECTED_HOSTS = "expected names of hosts, without a scheme or port";

export function isHostName(name: string): boolean {
  return /^[\w.-]+$/.test(name) || isIPv6(name.replace(/^\[(.*)\]$/, "$1"));
}

export const EXPECTED_ORIGINS =
  "expected origins of pages, like http://localhost:6006, with a scheme and without a path";

/** Whether it is an HTTP origin. `*` is refused, because any page could then control the emulator. */
export function isOrigin(text: string): boolean {
  return /^https?:\/\/[^/?#@*\s]+$/i.test(text) && URL.canParse(text);
}

/** Origins as browsers send them: in lower case, and without the default port. */
export function allowedOrigins(allowed: readonly string[]): ReadonlySet<string> {
  return new Set(allowed.map((origin) => new URL(origin).origin));
}

/** The hosts under which control routes may be called: loopback names, `host` and the allowed ones. */
export function allowedHosts(
  host: string | undefined,
  allowed: readonly string[],
): ReadonlySet<string> {
  const named = [...(host === undefined ? [] : [host]), ...allowed];
  return new Set([...OWN_HOSTS, ...named.map((name) => bracketed(name.toLowerCase()))]);
}

/** The host without the port, which can differ if ports are forwarded. */
function hostName(host: string | undefined): string | undefined {
  return /^(\[[\da-f:.]+\]|[^:]+)(?::\d+)?$/i.exec(host ?? "")?.[1]?.toLowerCase();
}

/** In a `Host` header, IPv6 addresses are in brackets. */
function bracketed(name: string): string {
  return name.includes(":") && !name.startsWith("[") ? `[${name}]` : name;
}

/** What is known about a request for a control route before its body is read. */
interface GuardedRequest {
  /** Why its host or origin is refused; undefined if it is allowed. */
  readonly problem: string | undefined;
  /** The allowed origin of the page that sends it; undefined if no such page sends it. */
  readonly origin: string | undefined;
  /** Why it may come from another machine, and what to do; undefined if it comes from this one. */
  readonly remoteReason: string | undefined;
  /** What it may control, for the length of its body; `Emulator.control` checks again. */
  readonly scope: ReturnType<Emulator["controls"]>;
}

export function guardControl(
  emulator: Emulator,
  request: IncomingMessage,
  header: PlainRequest["header"],
  allowed: Allowed,
): GuardedRequest {
  const problem = originProblem(request, allowed);
  const { origin: sent } = request.headers;
  const isKnown = problem === undefined && sent !== undefined && allowed.origins.has(sent);
  const remoteReason = remoteReasonOf(request, allowed.isPublic);
  const scope = problem === undefined ? emulator.controls({ header, remoteReason }) : undefined;
  return { problem, origin: isKnown ? sent : undefined, remoteReason, scope };
}

export async function answerControl(
  emulator: Emulator,
  request: IncomingMessage,
  plain: PlainRequest,
  { origin, problem }: GuardedRequest,
): Promise<PlainReply> {
  const isAsked = origin !== undefined && isControlPreflight(request);
  return isAsked ? controlPreflightReply(request) : emulator.control(plain, problem);
}

/** Lets pages of this origin read any response to a control request. */
export function shareWith(origin: string, response: ServerResponse): void {
  response.setHeader("Access-Control-Allow-Origin", origin);
  response.setHeader("Access-Control-Expose-Headers", "X-Latchkey-Hint");
  response.setHeader("Vary", "Origin");
}

function isControlPreflight({ headers, method }: IncomingMessage): boolean {
  return method === "OPTIONS" && headers["access-control-request-method"] !== undefined;
}

/** Allows every method of control routes, so that a page can read why a call is refused. */
function controlPreflightReply({ headers }: IncomingMessage): PlainReply {
  const requested = headers["access-control-request-headers"];
  return new PlainReply(
    204,
    {
      "Access-Control-Allow-Methods": "GET, POST, PUT, DELETE",
      ...(requested === undefined ? {} : { "Access-Control-Allow-Headers": requested }),
      "Cache-Control": "no-store",
    },
    [],
  );
}
