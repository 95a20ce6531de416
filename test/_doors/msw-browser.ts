import { setupWorker } from "msw/browser";
import { onTestFinished } from "vitest";
import type { Emulator } from "../../src/index.ts";
import { createHandlers } from "../../src/doors/msw.ts";
import { nextOrigin, toOrigin, type Fetch } from "./doors.ts";

const worker = setupWorker();
await worker.start({ onUnhandledRequest: "bypass", quiet: true });

export function openWorker(emulator: Emulator): Fetch {
  const baseUrl = nextOrigin();
  worker.use(...createHandlers(emulator, { baseUrl, others: "refuse" }));
  onTestFinished(() => worker.resetHandlers());
  return async (request) => fetch(await toOrigin(baseUrl, request));
}
