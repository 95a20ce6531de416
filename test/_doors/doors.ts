import type { Emulator } from "../../src/index.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** The door that the tests of a project compare with `emulator.fetch`. */
    door: DoorName;
  }
}

export type DoorName = "http" | "msw in node" | "msw in a browser";
export type Fetch = (request: Request) => Promise<Response>;
export type OpenDoor = (emulator: Emulator) => Promise<Fetch>;

/** Loaded one by one: not every door can be opened everywhere. */
export const doors: Record<DoorName, OpenDoor> = {
  http: async (emulator) => (await import("./http.ts")).openHttp(emulator),
  "msw in node": async (emulator) => (await import("./msw-node.ts")).openMsw(emulator),
  "msw in a browser": async (emulator) => (await import("./msw-browser.ts")).openWorker(emulator),
};

/** The same request for another host, with its body read, so that any client can send it. */
export async function toOrigin(origin: string, request: Request): Promise<Request> {
  const { pathname, search } = new URL(request.url);
  const body = await request.arrayBuffer();
  const { method, headers, signal } = request;
  return new Request(origin + pathname + search, {
    method,
    headers,
    signal,
    body: body.byteLength === 0 ? null : body,
  });
}

let count = 0;

/** Emulators of one test share nothing, so each has a separate host. */
export function nextOrigin(): string {
  count += 1;
  return `https://emulator-${count}.test`;
}
