import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { createServer as createTlsServer, type Server as TlsServer } from "node:tls";
import { isSameSecret } from "../../base/wording/mask.ts";
import { toHost } from "../redirect/host.ts";
import type { Redirects } from "../redirect/origins.ts";
import type { Certificate } from "./authority.ts";
import { addressOf, credentialsOf, type EarlierProxies, toBasic } from "./no-proxy.ts";
import { forward, connectionFailure, refuseRequest, refuseTunnel } from "./forward.ts";
import { join, openTunnel, TunnelRefused } from "./tunnel.ts";

interface ProxySettings {
  /** The hosts that the proxy answers itself, and the server that answers for them. */
  readonly redirects: Redirects;
  readonly certificate: Pick<Certificate, "cert" | "key">;
  readonly earlier: EarlierProxies;
  /** Called once for each problem that a person should know. */
  readonly warn: (problem: string) => void;
}

/** How long a handshake may take, in milliseconds. */
const HANDSHAKE = 20_000;
const USER = "latchkey";
const NO_CREDENTIALS = "expected the credentials that are in the URL of the proxy (HTTPS_PROXY)";

/** A proxy on 127.0.0.1. It answers redirected hosts, and passes calls to all others on. */
export class ProxyServer {
  readonly #password = randomBytes(18).toString("hex");
  readonly #settings: ProxySettings;
  readonly #server: Server;
  readonly #tls: TlsServer;
  readonly #sockets = new Set<Socket>();

  constructor(settings: ProxySettings) {
    const warn = once(settings.warn);
    this.#settings = { ...settings, warn };
    this.#server = createServer((request, response) => {
      try {
        this.#answer(request, response);
      } catch (error) {
        refuseRequest(response, 502, connectionFailure(error as Error));
      }
    });
    this.#server.on("connect", (request: IncomingMessage, socket: Socket, head: Buffer) => {
      this.#openTunnel(request, socket, head).catch(() => socket.destroy());
    });
    this.#server.on("connection", (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once("close", () => this.#sockets.delete(socket));
    });
    // A client that only speaks HTTP/2 fails in the handshake.
    const options = {
      ...settings.certificate,
      ALPNProtocols: ["http/1.1"],
      handshakeTimeout: HANDSHAKE,
    };
    this.#tls = createTlsServer(options, (socket) => this.#toEmulator(socket));
    this.#tls.on("tlsClientError", ({ code }: NodeJS.ErrnoException, socket) => {
      socket.destroy();
      // A client that timed out or closed the connection sent no alert.
      if (code?.startsWith("ERR_SSL_"))
        warn(
          `a program broke off TLS with a redirected host (${code}), and its call was not answered: it may not trust SSL_CERT_FILE, or speak HTTP/2 alone; see docs/unchanged-programs.md`,
        );
    });
  }

  /** Resolves to its URL, with the credentials that it asks for. */
  listen(): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen({ port: 0, host: "127.0.0.1" }, () => {
        const { port } = this.#server.address() as AddressInfo;
        resolve(`http://${USER}:${this.#password}@127.0.0.1:${port}`);
      });
    });
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Answers a request that names its host in a URL, as clients of a proxy do without TLS. */
  #answer(request: IncomingMessage, response: ServerResponse): void {
    const { earlier, redirects } = this.#settings;
    if (!this.#isAllowed(request)) return refuseRequest(response, 407, NO_CREDENTIALS);
    const url = request.url ?? "";
    const [, scheme = "", name = "", digits, rest = ""] = TO_PROXY.exec(url) ?? [];
    const isSecure = scheme.toLowerCase() === "https";
    const host = toHost(name);
    const port = Number(digits ?? (isSecure ? 443 : 80));
    if (name === "" || port > MAX_PORT)
      return refuseRequest(response, 400, "expected a request with the whole URL of another host");
    const path = rest.startsWith("/") ? rest : `/${rest}`;
    if (redirects.covers(host)) {
      if (redirects.find(host, port)?.isSecure === isSecure)
        return forward(request, response, { ...redirects.target, isSecure: false, path });
      return this.#refuseRequest(response, redirects.otherPort(host, port).message);
    }
    for (const text of request.headersDistinct["host"] ?? []) {
      const [, named] = NAMED.exec(text) ?? [];
      if (named === undefined)
        return refuseRequest(response, 400, "expected a host, and perhaps a port, in Host");
      if (!redirects.covers(named)) continue;
      const problem = `expected the same host in the URL and in Host, got ${host}`;
      return this.#refuseRequest(response, redirects.refusal(named, problem).message);
    }
    const via = earlier.find(isSecure ? "https" : "http", host, port);
    if (via === undefined) return forward(request, response, { isSecure, host, port, path });
    const next = { isSecure: via.protocol === "https:", path: url, headers: credentialsOf(via) };
    forward(request, response, { ...next, ...addressOf(via) });
  }

  async #openTunnel(request: IncomingMessage, socket: Socket, head: Buffer): Promise<void> {
    const { earlier, redirects } = this.#settings;
    // Node has removed its own listener, and the error of a socket without one ends the process.
    socket.on("error", () => {});
    if (!this.#isAllowed(request)) return refuseTunnel(socket, 407, NO_CREDENTIALS);
    const [, name = "", digits] = TUNNEL.exec(request.url ?? "") ?? [];
    const [host, port] = [toHost(name), Number(digits)];
    if (digits === undefined || port > MAX_PORT)
      return refuseTunnel(socket, 400, "expected CONNECT with a host and a port");
    if (head.length > 0) socket.unshift(head);
    if (redirects.covers(host)) return this.#answerTunnel(socket, host, port);
    const abort = new AbortController();
    socket.once("close", () => abort.abort());
    try {
      const other = await openTunnel(
        { host, port },
        earlier.find("https", host, port),
        abort.signal,
      );
      if (socket.destroyed) return void other.destroy();
      socket.write(ESTABLISHED);
      join(socket, other);
    } catch (error) {
      if (error instanceof TunnelRefused) return refuseTunnel(socket, error.status, error.message);
      return refuseTunnel(socket, 502, `${host}:${port}: ${connectionFailure(error as Error)}`);
    }
  }

  /** Answers for a redirected host at the end of a tunnel. */
  async #answerTunnel(socket: Socket, host: string, port: number): Promise<void> {
    const { redirects, warn } = this.#settings;
    const origin = redirects.find(host, port);
    if (origin === undefined) {
      const { message } = redirects.otherPort(host, port);
      warn(message);
      return refuseTunnel(socket, 403, message);
    }
    socket.write(ESTABLISHED);
    if (origin.isSecure) this.#tls.emit("connection", socket);
    else this.#toEmulator(socket);
  }

  #toEmulator(socket: Socket): void {
    join(
      socket,
      connect({ ...this.#settings.redirects.target, noDelay: true, allowHalfOpen: true }),
    );
  }

  #refuseRequest(response: ServerResponse, message: string): void {
    this.#settings.warn(message);
    refuseRequest(response, 403, message);
  }

  #isAllowed({ headers }: IncomingMessage): boolean {
    const given = headers["proxy-authorization"]?.replace(/^basic +/i, "Basic ") ?? "";
    return isSameSecret(given, toBasic(USER, this.#password));
  }
}

/**
 * The host that a client sends to a proxy. Only plain names and addresses are accepted: this proxy could
 * read other characters differently from the next proxy or a resolver.
 */
const HOST = String.raw`([\w.-]+|\[[\da-f:.]+\])`;
const NAMED = new RegExp(`^${HOST}(?::\\d{0,5})?$`, "i");
const TUNNEL = new RegExp(`^${HOST}:(\\d{1,5})$`, "i");
const TO_PROXY = new RegExp(`^(https?)://${HOST}(?::(\\d{1,5}))?((?:[/?#][!-\xff]*)?)$`, "i");
const MAX_PORT = 65_535;

const ESTABLISHED = "HTTP/1.1 200 Connection established\r\n\r\n";

function once(report: (text: string) => void): (text: string) => void {
  const reported = new Set<string>();
  return (text) => {
    if (!reported.has(text)) report(text);
    reported.add(text);
  };
}
