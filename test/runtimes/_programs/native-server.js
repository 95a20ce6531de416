// Hands `emulator.fetch` to the server of the runtime, and calls it over HTTP: each line is a reply.
import { createEmulator } from "latchkey";

const emulator = await createEmulator({ basePath: "/api/unkey", log: () => {} });
const { Bun, Deno } = globalThis;
const server = Bun
  ? Bun.serve({ port: 0, fetch: emulator.fetch })
  : Deno.serve({ port: 0, onListen() {} }, emulator.fetch);
const url = `http://localhost:${Bun ? server.port : server.addr.port}`;

async function call(path, input) {
  const response = await fetch(url + path, {
    method: "POST",
    headers: { Authorization: "Bearer any", "Content-Type": "application/json" },
    body: JSON.stringify(input),
  });
  const answer = await response.json();
  const told = answer.data?.code ?? answer.error?.detail ?? "";
  process.stdout.write(`${response.status} ${told}\n`);
  return answer.data;
}

const { key } = await call("/api/unkey/v2/keys.createKey", { apiId: "api_local" });
await call("/api/unkey/v2/keys.verifyKey", { key });
await call("/v2/keys.verifyKey", { key });
await (Bun ? server.stop(true) : server.shutdown());
