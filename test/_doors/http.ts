import { onTestFinished } from "vitest";
import type { Emulator } from "../../src/index.ts";
import { serve } from "../../src/node.ts";
import { toOrigin, type Fetch } from "./doors.ts";

export async function openHttp(emulator: Emulator): Promise<Fetch> {
  // The service has no page, and the other doors have none.
  const server = await serve(emulator, { ui: false });
  onTestFinished(() => server.close({ grace: 0 }));
  return async (request) => fetch(await toOrigin(server.url, request));
}
