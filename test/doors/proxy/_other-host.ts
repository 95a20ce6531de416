import { once } from "node:events";
import http, { type IncomingMessage, type Server, type ServerResponse } from "node:http";
import https from "node:https";
import { connect, type AddressInfo, type Socket } from "node:net";
import { makeCertificate } from "../../../src/doors/proxy/authority.ts";

/** A server that stands for every other host, over HTTP or HTTPS. It answers with the request that it got. */
export async function givenOtherHost(protocol: "http" | "https") {
  const { authority, cert, key } = await makeCertificate(["localhost", "other.test"]);
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method, rawHeaders, url } = request;
      const body = Buffer.concat(chunks).toString("latin1");
      response.writeHead(418, "Short and stout", ["Set-Cookie", "a=1", "Set-Cookie", "b=2"]);
      response.end(JSON.stringify({ method, url, rawHeaders, body }));
    });
  };
  const server =
    protocol === "http" ? http.createServer(answer) : https.createServer({ cert, key }, answer);
  return { authority, ...(await listening(server)) };
}

/** A proxy that was set before, with credentials. It takes every host for the one at `port`. */
export async function givenEarlierProxy(port: number) {
  /** The first line of each request, with the credentials. */
  const asked: string[] = [];
  const note = ({ headers, method, url }: IncomingMessage) => {
    const [, credentials = ""] = headers["proxy-authorization"]?.split(" ") ?? [];
    asked.push(`${method} ${url} ${Buffer.from(credentials, "base64").toString()}`);
  };
  const server = http.createServer((request, response) => {
    note(request);
    const { headers, method } = request;
    const sent = http.request({ port, method, path: "/by/the/proxy", headers }, (reply) => {
      response.writeHead(reply.statusCode ?? 0, reply.headers);
      reply.pipe(response);
    });
    request.pipe(sent);
  });
  server.on("connect", (request: IncomingMessage, socket: Socket) => {
    note(request);
    if (request.url?.startsWith("refused.test")) {
      socket.end("HTTP/1.1 451 Not from here\r\n\r\n");
      return;
    }
    const other = connect(port);
    for (const one of [socket, other]) one.on("error", () => {});
    socket.write("HTTP/1.1 200 OK\r\n\r\n");
    socket.pipe(other).pipe(socket);
  });
  const { port: own, [Symbol.asyncDispose]: dispose } = await listening(server);
  return { asked, url: `http://ann:p%40ss@localhost:${own}`, [Symbol.asyncDispose]: dispose };
}

async function listening(server: Server) {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => sockets.add(socket));
  server.listen(0);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    port,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
