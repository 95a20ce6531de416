import { toHost, type Origin } from "./origins.ts";

/** Where the emulator listens. */
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

  /** Whether any port of the host is redirected. Everything else may go out. */
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

  /** The error for a port or a scheme that no origin has. */
  otherPort(host: string, port: unknown): Error {
    const name = toHost(host);
    const known = this.#origins.filter((origin) => origin.host === name).map(({ text }) => text);
    return this.refusal(
      host,
      `expected a connection to ${known.join(" or ")}, got port ${String(port)}; name its origin with --as (LATCHKEY_AS) too`,
    );
  }
}
