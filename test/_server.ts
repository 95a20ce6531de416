import { connect, type Socket } from "node:net";
import type { Emulator, EmulatorOptions } from "../src/index.ts";
import { serve, type RunningServer } from "../src/doors/http/serve.ts";
import { givenEmulator } from "./_emulator.ts";

export interface Served extends AsyncDisposable {
  readonly emulator: Emulator;
  readonly server: RunningServer;
  readonly url: string;
  readonly port: number;
  fetch(request: Request): Promise<Response>;
}

/** An emulator behind a real socket; `await using` stops it. */
export async function givenServer(options: EmulatorOptions = {}): Promise<Served> {
  const emulator = await givenEmulator(options);
  const server = await serve(emulator);
  return {
    emulator,
    server,
    url: server.url,
    port: server.port,
    fetch: (request) => fetch(request),
    [Symbol.asyncDispose]: () => server.close({ grace: 0 }),
  };
}

/** Sends bytes as they are and resolves to everything that comes back until the end. */
export function sendBytes(
  port: number,
  bytes: string | Buffer,
  host = "127.0.0.1",
): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, host);
    let received = "";
    socket.on("data", (data) => (received += data.toString("latin1")));
    // After a connection reset, `close` follows too.
    socket.on("error", () => {});
    socket.on("close", () => resolve(received));
    socket.write(bytes);
  });
}

/** A request that creates a key, in two parts: it is cut in the middle of the body. */
export function halfARequest(body: string): readonly [first: string, second: string] {
  const head = [
    "POST /v1/keys.createKey HTTP/1.1",
    "Host: x",
    "Authorization: Bearer t",
    "Content-Type: application/json",
    `Content-Length: ${body.length}`,
  ];
  const cut = body.length >> 1;
  return [`${head.join("\r\n")}\r\n\r\n${body.slice(0, cut)}`, body.slice(cut)];
}

export interface Client {
  readonly socket: Socket;
  readonly ended: Promise<void>;
  /** Everything received so far. */
  received(): string;
}

/** A client that has sent these bytes, and whose connection the server has accepted. */
export async function givenClient(port: number, bytes = ""): Promise<Client> {
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  let received = "";
  socket.on("data", (data) => (received += data.toString("latin1")));
  socket.on("error", () => {});
  socket.on("end", () => socket.end());
  const ended = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  await new Promise((resolve) => socket.once("connect", resolve));
  if (bytes !== "") await new Promise((resolve) => socket.write(bytes, resolve));
  // Connections are accepted in order: the answer to a later one shows that this one is accepted.
  await (await fetch(`http://127.0.0.1:${port}/`, { headers: { Connection: "close" } })).text();
  return { socket, ended, received: () => received };
}

/** Resolves when nothing listens there any more. */
export async function untilClosed(url: string): Promise<void> {
  while (await fetch(url).catch(() => undefined)) await Promise.resolve();
}
