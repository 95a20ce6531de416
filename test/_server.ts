import { connect } from "node:net";
import type { Emulator, EmulatorOptions } from "../src/index.ts";
import { serve, type RunningServer } from "../src/http/serve.ts";
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
    // A reset is an end as well.
    socket.on("error", () => {});
    socket.on("close", () => resolve(received));
    socket.write(bytes);
  });
}
