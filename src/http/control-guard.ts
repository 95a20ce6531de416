import type { IncomingMessage } from "node:http";
import { isIPv6 } from "node:net";

/** Names under which a machine knows itself. */
const OWN_HOSTS = ["localhost", "127.0.0.1", "[::1]"];

/**
 * Why a request must not steer the emulator; undefined where it may. A page that somebody visits
 * can send requests to this machine, also under a name of its own that leads here, and must not
 * drive the emulator of the person who visits it.
 */
export function originProblem(
  { headers: { host, origin } }: IncomingMessage,
  hosts: ReadonlySet<string>,
): string | undefined {
  const name = hostName(host);
  if (name === undefined || !hosts.has(name)) {
    const got = name === undefined ? "none" : JSON.stringify(name);
    return `host: expected ${[...hosts].join(" or ")}, got ${got}; --allow-host names further ones`;
  }
  if (origin === undefined || origin === `http://${host}`) return undefined;
  return `origin: expected a page of the emulator itself, or no page, got ${JSON.stringify(origin.slice(0, 100))}; pages of others cannot steer it`;
}

/** As Node writes them; a socket for both families maps IPv4 addresses into IPv6. */
const LOOPBACK = /^(?:(?:::ffff:)?127\.\d+\.\d+\.\d+|::1)$/;

export function isLoopback(address: string | undefined): boolean {
  return address !== undefined && LOOPBACK.test(address);
}

/**
 * How a request came, where it is not certain that it is from this machine: by its address, or by a
 * proxy, which has an address of this machine and sends requests of others.
 */
export function remoteOf({ headers, socket }: IncomingMessage): string | undefined {
  const forwarded = Object.keys(headers).find((name) => /^(?:x-)?forwarded(?:-|$)/.test(name));
  if (forwarded !== undefined)
    return `has the header ${forwarded} and so may come from another machine`;
  const { remoteAddress } = socket;
  return isLoopback(remoteAddress)
    ? undefined
    : `comes from ${remoteAddress ?? "an unknown address"}`;
}

export const EXPECTED_HOSTS = "expected names of hosts, without a scheme or port";

export function isHostName(name: unknown): boolean {
  if (typeof name !== "string") return false;
  return /^[\w.-]+$/.test(name) || isIPv6(name.replace(/^\[(.*)\]$/, "$1"));
}

/** The hosts that control routes expect: those of this machine, and what a person has named. */
export function expectedHosts(
  host: string | undefined,
  allowed: readonly string[],
): ReadonlySet<string> {
  const named = [...(host === undefined ? [] : [host]), ...allowed];
  return new Set([...OWN_HOSTS, ...named.map((name) => bracketed(name.toLowerCase()))]);
}

/** Without the port, which may be another one where ports are forwarded. */
function hostName(host: string | undefined): string | undefined {
  return /^(\[[\da-f:.]+\]|[^:]+)(?::\d+)?$/i.exec(host ?? "")?.[1]?.toLowerCase();
}

/** IPv6 addresses stand in brackets in a header. */
function bracketed(name: string): string {
  return name.includes(":") && !name.startsWith("[") ? `[${name}]` : name;
}
