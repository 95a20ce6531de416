import { readFileSync } from "node:fs";
import { connect as connectTls, type ConnectionOptions, type TLSSocket } from "node:tls";
import { connect, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { readEarlierProxies } from "../../../src/doors/proxy/no-proxy.ts";
import { redirectPrograms } from "../../../src/doors/proxy/redirect-programs.ts";
import { type Origin, toOrigin } from "../../../src/doors/redirect/origins.ts";
import { givenEmulator } from "../../_emulator.ts";

export const SERVICE = "https://api.unkey.com";

/** A proxy that redirects origins; `await using` stops it. */
export async function givenProxy({
  env = {},
  origins = [SERVICE],
}: { env?: Record<string, string>; origins?: readonly string[] } = {}) {
  const warnings: string[] = [];
  const programs = await redirectPrograms(await givenEmulator(), {
    origins: origins.map((text) => toOrigin(text) as Origin),
    earlier: readEarlierProxies(env),
    env,
    warn: (problem) => warnings.push(problem),
  });
  const { HTTPS_PROXY = "", NODE_EXTRA_CA_CERTS = "" } = programs.variables;
  const { password, port, username } = new URL(HTTPS_PROXY);
  const credentials = Buffer.from(`${username}:${password}`).toString("base64");
  return {
    ...programs,
    warnings,
    port: Number(port),
    authority: readFileSync(NODE_EXTRA_CA_CERTS, "utf8"),
    /** The header that the proxy asks for. */
    allowed: `Proxy-Authorization: Basic ${credentials}\r\n`,
    [Symbol.asyncDispose]: () => programs.close({ grace: 0 }),
  };
}

export type GivenProxy = Awaited<ReturnType<typeof givenProxy>>;

/** Asks a proxy for a tunnel. Resolves to the head of its answer and the connection. */
export async function openTunnel(
  { allowed, port }: Pick<GivenProxy, "allowed" | "port">,
  target: string,
): Promise<{ head: string; socket: Socket }> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n${allowed}\r\n`);
  const head = await new Promise<string>((resolve) => {
    socket.once("data", (data) => resolve(data.toString("latin1")));
  });
  return { head, socket };
}

/** TLS through a tunnel. Rejects if the certificate or the handshake fails. */
export async function secureTunnel(
  proxy: GivenProxy,
  target: string,
  options: ConnectionOptions = {},
): Promise<TLSSocket> {
  const { socket } = await openTunnel(proxy, target);
  const [servername = ""] = target.split(":");
  return await new Promise((resolve, reject) => {
    const secure = connectTls({ socket, servername, ca: proxy.authority, ...options });
    secure.once("secureConnect", () => resolve(secure)).once("error", reject);
    secure.once("close", () => reject(new Error("closed in the handshake")));
  });
}

/** Sends bytes, and resolves to everything that comes back until the end. */
export function exchange(socket: Duplex, bytes: string | Buffer): Promise<string> {
  return new Promise((resolve) => {
    let received = "";
    socket.on("data", (data) => (received += data.toString("latin1")));
    socket.on("error", () => {});
    socket.on("close", () => resolve(received));
    socket.write(bytes);
  });
}

export const get = (path: string, headers = "Host: api.unkey.com\r\n") =>
  `GET ${path} HTTP/1.1\r\n${headers}Connection: close\r\n\r\n`;
