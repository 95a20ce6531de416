// Calls in process that wait, each with what it comes to. Nothing but latchkey keeps the process alive.
import { setTimeout } from "node:timers";
import { createEmulator } from "latchkey";
import { HTTPClient, Unkey } from "unkey-api-2";

const URL = "https://emulator.test/v2/keys.createKey";
const created = (signal) => ({
  method: "POST",
  headers: { Authorization: "Bearer any", "Content-Type": "application/json" },
  body: '{"apiId":"api_local"}',
  signal,
});
const nameOf = ({ name }) => name;
/** The timer keeps no process alive. */
const later = (act) => void setTimeout(act, 50).unref();
async function hanging() {
  const emulator = await createEmulator();
  emulator.faults.add({ effect: "hang" });
  return emulator;
}

/** By its name: the call, and its outcome. */
export const cases = {
  "a call that hangs, given up by its signal": [
    async () => {
      const { fetch } = await hanging();
      return fetch(URL, created(AbortSignal.timeout(50))).catch(nameOf);
    },
    "TimeoutError",
  ],
  "a call that hangs, given up by the client": [
    async () => {
      const httpClient = new HTTPClient({ fetcher: (await hanging()).fetch });
      const { keys } = new Unkey({
        rootKey: "any",
        httpClient,
        timeoutMs: 50,
        retryConfig: { strategy: "none" },
      });
      return keys.createKey({ apiId: "api_local" }).catch(nameOf);
    },
    "RequestTimeoutError",
  ],
  "a call that hangs through msw, given up by its signal": [
    async () => {
      // Imported here, because in Deno the import of msw keeps a process alive.
      const { setupServer } = await import("msw/node");
      const { createHandlers } = await import("latchkey/msw");
      const baseUrl = "https://emulator.test";
      const server = setupServer(...createHandlers(await hanging(), { baseUrl }));
      server.listen();
      const outcome = await fetch(URL, created(AbortSignal.timeout(50))).catch(nameOf);
      server.close();
      return outcome;
    },
    "TimeoutError",
  ],
  "a call that hangs until a reset": [
    async () => {
      const emulator = await hanging();
      later(() => emulator.reset());
      return (await emulator.fetch(URL, created())).status;
    },
    500,
  ],
  "a call that hangs until a snapshot is restored": [
    async () => {
      const emulator = await hanging();
      later(() => emulator.restore(emulator.snapshot()));
      return (await emulator.fetch(URL, created())).status;
    },
    500,
  ],
  "a call with a latency": [
    async () => (await (await createEmulator({ latency: 50 })).fetch(URL, created())).status,
    200,
  ],
  waitFor: [
    async () => {
      const { requests } = await createEmulator();
      return requests.waitFor({ count: 1 }, "50ms").catch(nameOf);
    },
    "Error",
  ],
  "a control route that waits": [
    async () => {
      const { fetch } = await createEmulator({ log: () => {} });
      return (await fetch("https://emulator.test/_latchkey/requests?wait=50")).status;
    },
    408,
  ],
  "the next event": [
    async () => {
      const emulator = await createEmulator();
      const { body } = await emulator.fetch("https://emulator.test/_latchkey/events");
      const reader = body.getReader();
      await reader.read();
      later(() => emulator.clock.advance("1h"));
      const { value } = await reader.read();
      return new TextDecoder().decode(value).split("\n")[0];
    },
    "event: change",
  ],
};
