import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";

export interface Proxy {
  readonly port: number;
  close(): void;
}

/**
 * A reverse proxy of `localhost` that takes `prefix` off each path, answers 404 to every other path,
 * and passes `Host` on.
 */
export async function startProxy(target: number, prefix: string): Promise<Proxy> {
  const proxy = createServer((incoming, answer) => {
    const { headers, method = "", url = "" } = incoming;
    if (!url.startsWith(`${prefix}/`)) {
      answer.writeHead(404).end();
      return;
    }
    const path = url.slice(prefix.length);
    const passed = request({ host: "127.0.0.1", port: target, method, path, headers }, (reply) => {
      answer.writeHead(reply.statusCode ?? 502, reply.headers);
      reply.on("error", () => answer.destroy());
      reply.pipe(answer);
    });
    passed.on("error", () => answer.destroy());
    answer.on("close", () => passed.destroy());
    incoming.pipe(passed);
  });
  await new Promise<void>((resolve) => proxy.listen(0, "localhost", resolve));
  return {
    port: (proxy.address() as AddressInfo).port,
    close() {
      proxy.close();
      proxy.closeAllConnections();
    },
  };
}
