import { setupServer } from "msw/node";
import { onTestFinished, vi } from "vitest";
import type { Emulator, EmulatorOptions } from "../src/index.ts";
import { createHandlers } from "../src/doors/msw.ts";
import { givenEmulator } from "./_emulator.ts";
import { givenServer } from "./_server.ts";

/** An emulator, and the address at which a client in this process reaches it until the test ends. */
export interface Reached {
  readonly emulator: Emulator;
  readonly url: string;
}

export type Reach = (options?: EmulatorOptions) => Promise<Reached>;

export async function overHttp(options?: EmulatorOptions): Promise<Reached> {
  const served = await givenServer(options);
  onTestFinished(() => served[Symbol.asyncDispose]());
  return served;
}

export async function throughMsw(options?: EmulatorOptions): Promise<Reached> {
  const emulator = await givenEmulator(options);
  const url = "https://api.example.com";
  const server = setupServer(...createHandlers(emulator, { baseUrl: url, others: "refuse" }));
  server.listen({ onUnhandledRequest: "error" });
  onTestFinished(() => server.close());
  return { emulator, url };
}

/** The ways from a client to an emulator, for `describe.each`. */
export const reaches: readonly (readonly [way: string, reach: Reach])[] = [
  ["over HTTP", overHttp],
  ["through msw", throughMsw],
];

/** Sends calls for the service to the emulator, because some programs have a fixed URL. */
export function leadHere({ url }: Reached): void {
  const inner = globalThis.fetch;
  // Keeps requests reachable, because the undici of Node.js 22.12 cancels the body of a
  // Request once its clone is collected (nodejs/undici#4414), so that a client cannot repeat it.
  const reachable: unknown[] = [];
  vi.stubGlobal("fetch", (input: string | URL | Request, init?: RequestInit) => {
    reachable.push(input);
    const request = new Request(input, init);
    const moved = request.url.replace(/^https:\/\/api\.unkey\.(dev|com)/, url);
    return inner(new Request(moved, request));
  });
  onTestFinished(() => void vi.unstubAllGlobals());
}
