import type { Server } from "node:http";
import type { AddressInfo } from "node:net";

/** Thrown if the server cannot listen on its address. The message says why, and what to do. */
export class ListenError extends Error {
  override readonly name = "ListenError" as const;
}

const LOOPBACK = ["127.0.0.1", "::1"] as const;
/** A port may be free on only one loopback address. Then another port is tried. */
const ATTEMPTS = 10;

interface Listening {
  readonly servers: readonly Server[];
  readonly port: number;
  readonly host: string;
}

/**
 * Listens on a host. For `localhost`, the default, it listens on the same port of both loopback
 * addresses, because clients resolve `localhost` to either one.
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
      const isInUse = (error as NodeJS.ErrnoException).code === "EADDRINUSE";
      if (port !== 0 || !isInUse || attempt === ATTEMPTS) throw toListenError(error, port, host);
    }
  }
}

async function listenOnLoopback(createServer: () => Server, port: number): Promise<Listening> {
  const [v4, v6] = [createServer(), createServer()];
  const boundPort = await bind(v4, port, LOOPBACK[0]);
  try {
    await bind(v6, boundPort, LOOPBACK[1]);
    return { servers: [v4, v6], port: boundPort, host: "localhost" };
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    // Without IPv6, the IPv4 loopback address is enough.
    if (["EADDRNOTAVAIL", "EAFNOSUPPORT"].includes(code)) {
      return { servers: [v4], port: boundPort, host: LOOPBACK[0] };
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
    EADDRINUSE: `port ${port} on ${host} is in use; choose another port, or 0 for a free one`,
    EACCES: `port ${port} on ${host} needs more privileges than you have; choose a port from 1024 on`,
    EADDRNOTAVAIL: `${host} is not an address of this machine; choose another host`,
    ENOTFOUND: `${host} is not a known host; choose another host`,
  };
  return new ListenError(reasons[code] ?? message, { cause: error });
}

function urlHost(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "localhost";
  return host.includes(":") ? `[${host}]` : host;
}
