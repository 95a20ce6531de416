/** A host that latchkey stands in for, with the port and the scheme by which programs call it. */
export interface Origin {
  /** Like `https://api.unkey.com`. */
  readonly text: string;
  readonly isSecure: boolean;
  /** In lower case; an IPv6 address without brackets. */
  readonly host: string;
  readonly port: number;
}

/** Reads the origin of a service; undefined if the text is something else, or this machine. */
export function toOrigin(text: string): Origin | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) return undefined;
  // Credentials, a path, a query or a fragment would follow the origin.
  if (url.href !== `${url.origin}/`) return undefined;
  const host = toHost(url.hostname);
  if (isThisMachine(host)) return undefined;
  const isSecure = url.protocol === "https:";
  return { text: url.origin, isSecure, host, port: Number(url.port) || (isSecure ? 443 : 80) };
}

export const EXPECTED_ORIGIN =
  "expected the origin of a service, like https://api.unkey.com: https or http, a host other than this machine, and no path";

/** What was written instead of an origin, for messages: shortened, and without a password. */
export function writtenOrigin(text: string): string {
  const masked = text.replace(/\/\/.*@/, "//***@");
  return JSON.stringify(masked.length > 100 ? `${masked.slice(0, 99)}…` : masked);
}

/** A host as in an `Origin`, from one as programs write it. */
export function toHost(name: string): string {
  return name
    .toLowerCase()
    .replace(/^\[(.*)\]$/, "$1")
    .replace(/\.$/, "");
}

export function isThisMachine(host: string): boolean {
  return /^(?:(?:.+\.)?localhost|127\.\d+\.\d+\.\d+|::1|0\.0\.0\.0|::)$/.test(host);
}
