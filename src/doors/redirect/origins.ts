import { toHost } from "./host.ts";

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
  // Refuses credentials, a path, a query and a fragment.
  if (url.href !== `${url.origin}/`) return undefined;
  const host = toHost(url.hostname);
  if (THIS_MACHINE.test(host) || host.includes("*")) return undefined;
  const isSecure = url.protocol === "https:";
  return { text: url.origin, isSecure, host, port: Number(url.port) || (isSecure ? 443 : 80) };
}

export const EXPECTED_ORIGIN =
  "expected the origin of a service, like https://api.unkey.com: https or http, a host other than this machine, and no path";

/** Text that is no origin, for messages: shortened, and without a password. */
export function writtenOrigin(text: string): string {
  const masked = text.replace(/\/\/.*@/, "//***@");
  return JSON.stringify(masked.length > 100 ? `${masked.slice(0, 99)}…` : masked);
}

const THIS_MACHINE = /^(?:(?:.+\.)?localhost|127\.\d+\.\d+\.\d+|::1|0\.0\.0\.0|::)$/;

export interface Target {
  readonly host: string;
  readonly port: number;
}

/** The origins that are redirected, and the emulator that answers for them. */
export class Redirects {
  readonly target: Target;
  readonly #origins: readonly Origin[];

  constructor(target: Target, origins: readonly Origin[]) {
    this.target = target;
    this.#origins = origins;
  }

  /** Whether any port of the host is redirected. Connections to other hosts may go out. */
  covers(host: unknown): host is string {
    return typeof host === "string" && this.find(host) !== undefined;
  }

  /** An origin of a host, with this port and scheme if they are given. */
  find(host: string, port?: unknown, isSecure?: boolean): Origin | undefined {
    const name = toHost(host);
    return this.#origins.find((origin) => {
      if (origin.host !== name) return false;
      if (isSecure !== undefined && origin.isSecure !== isSecure) return false;
      return port === undefined || origin.port === Number(port);
    });
  }

  /** The error for a connection that must not go out, and cannot be redirected. */
  refusal(host: string, problem: string): Error {
    const message = `latchkey/redirect: ${host}: ${problem}; nothing was sent to the real host`;
    return Object.assign(new Error(message), { code: "ERR_LATCHKEY_REDIRECT" });
  }

  otherPort(host: string, port: unknown): Error {
    const name = toHost(host);
    const known = this.#origins.filter((origin) => origin.host === name).map(({ text }) => text);
    return this.refusal(
      host,
      `expected a connection to ${known.join(" or ")}, got port ${String(port)}; name its origin with --as (LATCHKEY_AS) too`,
    );
  }
}
