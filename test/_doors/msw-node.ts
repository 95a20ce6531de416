import { setupServer } from "msw/node";
import { onTestFinished } from "vitest";
import type { Emulator } from "../../src/index.ts";
import { createHandlers } from "../../src/doors/msw.ts";
import { nextOrigin, toOrigin, type Fetch } from "./doors.ts";

const server = setupServer();
server.listen({ onUnhandledRequest: "error" });

export function openMsw(emulator: Emulator): Fetch {
  const baseUrl = nextOrigin();
  server.use(...createHandlers(emulator, { baseUrl, others: "refuse" }));
  onTestFinished(() => server.resetHandlers());
  return async (request) => fetch(await toOrigin(baseUrl, request));
}
