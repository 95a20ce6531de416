// Sends one request and reads its whole reply, for measurements without load.
import http from "node:http";

const HOST = "127.0.0.1";
const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });

export function ask(port, { method = "GET", path, headers, body }) {
  return new Promise((resolve, reject) => {
    const request = http.request({ agent, host: HOST, port, method, path, headers });
    request.on("error", reject);
    request.on("response", (response) => {
      const chunks = [];
      response.on("error", reject);
      response.on("data", (chunk) => chunks.push(chunk));
      response.on("end", () => {
        const { rawHeaders, statusCode: status } = response;
        resolve({ status, rawHeaders, body: Buffer.concat(chunks) });
      });
    });
    request.end(body);
  });
}

/** Like `ask`, but throws for a reply with an error status. */
export async function askFor(port, request) {
  const reply = await ask(port, request);
  if (reply.status < 300) return reply;
  const said = reply.body.toString().slice(0, 500);
  throw new Error(`${request.method ?? "GET"} ${request.path}: ${reply.status} ${said}`);
}
