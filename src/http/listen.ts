import type { Server } from "node:http";
import type { AddressInfo } from "node:net";

/** The address cannot be listened on; the message says why and what to do. */
export class ListenError extends Error {
  override readonly name = "ListenError" as const;
}

const LOOPBACK = ["127.0.0.1", "::1"] as const;
/** A free port of one loopback address may be taken on the other. */
const ATTEMPTS = 10;

interface Listening {
  readonly servers: readonly Server[];
  readonly port: number;
  /** The host to put into a URL. */
  readonly host: string;
}

/**
 * Listens on a host; by default, and for `localhost`, on both loopback addresses with one port,
 * because a client may resolve `localhost` to either.
 * @throws ListenError
 */
export async function listen(
  createServer: () => Server,
  { port, host = "localhost" }: { readonly port: number; readonly host: string | undefined },
): Promise<Listening> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      if (host === "localhost") return await listenOnLoopback(createServer, port);
      const server = createServer();
      return { servers: [server], port: await bind(server, port, host), host: urlHost(host) };
    } catch (error) {
      const isTaken = (error as NodeJS.ErrnoException).code === "EADDRINUSE";
      if (port !== 0 || !isTaken || attempt === ATTEMPTS) throw toListenError(error, port, host);
    }
  }
}

async function listenOnLoopback(createServer: () => Server, port: number): Promise<Listening> {
  const [v4, v6] = [createServer(), createServer()];
  const taken = await bind(v4, port, LOOPBACK[0]);
  try {
    await bind(v6, taken, LOOPBACK[1]);
    return { servers: [v4, v6], port: taken, host: "localhost" };
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    // A machine without IPv6 has one loopback address.
    if (["EADDRNOTAVAIL", "EAFNOSUPPORT"].includes(code)) {
      return { servers: [v4], port: taken, host: LOOPBACK[0] };
    }
    await new Promise((resolve) => v4.close(resolve));
    throw error;
  }
}

function bind(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port, host }, () => {
      server.off("error", reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

function toListenError(error: unknown, port: number, host: string): ListenError {
  const { code = "", message } = error as NodeJS.ErrnoException;
  const reasons: Record<string, string> = {
    EADDRINUSE: `port ${port} on ${host} is in use; choose another with --port, or 0 for a free one`,
    EACCES: `port ${port} on ${host} is not yours to use; choose one from 1024 on with --port`,
    EADDRNOTAVAIL: `${host} is not an address of this machine; choose another with --host`,
    ENOTFOUND: `${host} is not a known host; choose another with --host`,
  };
  return new ListenError(reasons[code] ?? message, { cause: error });
}

function urlHost(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "localhost";
  return host.includes(":") ? `[${host}]` : host;
}
