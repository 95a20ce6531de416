import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** What the program received. It answers with this as JSON. */
interface Received {
  readonly method: string;
  readonly target: string;
  readonly host: string;
  readonly principal: string | undefined;
  readonly body: string;
}

const toBody = (received: Received) => JSON.stringify(received);
const headers = { "Content-Type": "application/json", "Set-Cookie": "a=1" };

/** The program as a function. */
export async function program(request: Request): Promise<Response> {
  const { origin } = new URL(request.url);
  const text = toBody({
    method: request.method,
    target: request.url.slice(origin.length),
    host: request.headers.get("X-Forwarded-Host") ?? "",
    principal: request.headers.get("X-Unkey-Principal") ?? undefined,
    body: await request.text(),
  });
  return new Response(text, { status: 201, headers });
}

/** The same program as a server. Returns its address, `host:port`. */
export async function givenProgram(): Promise<string> {
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (part) => (body += part));
    request.on("end", () => {
      const { headers: sent, method = "", url: target = "" } = request;
      const principal = sent["x-unkey-principal"]?.toString();
      const text = toBody({ method, target, host: sent.host ?? "", principal, body });
      response.writeHead(201, headers).end(text);
    });
  });
  return listenOn(server);
}

export async function listenOn(server: ReturnType<typeof createServer>): Promise<string> {
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}
