import { once } from "node:events";
import { createServer, type AddressInfo, type Socket } from "node:net";

/** A server that records what arrives. */
export async function givenServer(onSocket: (socket: Socket) => void) {
  const arrived: Buffer[] = [];
  const server = createServer((socket) => {
    socket.on("data", (bytes) => arrived.push(bytes));
    socket.on("error", () => {});
    onSocket(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    port,
    arrived: () => Buffer.concat(arrived).toString(),
    async [Symbol.asyncDispose]() {
      server.close();
      await once(server, "close");
    },
  };
}

/** Stands for the real host, and breaks off every call. */
export const givenRealHost = () =>
  givenServer((socket) => socket.once("data", () => socket.destroy()));
