import type { KeptWorld } from "./kept-world.ts";

/** The token to send if the emulator accepts any. */
export const ANY_TOKEN = "local";

/** The tokens that the page sends: one for operations, and a control token if the first is not enough. */
export interface Tokens {
  readonly token: string;
  readonly controlToken: string | undefined;
}

/** How the page reaches an emulator, and what it knows at the start. */
export interface Connection {
  /**
   * Sends a request, as `fetch` does.
   * @param path without a slash at its start, like `v2/keys.getKey`
   */
  send(path: string, init: RequestInit): Promise<Response>;
  /** The URL for clients, without a slash at its end; undefined if the emulator runs in the browser. */
  readonly baseUrl?: string;
  /** The tokens to begin with. Default: those in the address of the page, or those of this tab. */
  readonly tokens?: Tokens;
  /** The name of the page. Default: latchkey. */
  readonly title?: string | undefined;
  /** Problems from before the page was loaded, a line each. */
  readonly notices?: readonly string[];
  /** The records of a static site that the browser keeps. */
  readonly kept?: KeptWorld;
}

/**
 * The connection to the server of the page. The URL is relative to this code, which is served at
 * `_latchkey/ui/page.js`, so it is right even if a proxy serves the emulator below a path.
 */
export function serverConnection(): Connection {
  const root = new URL("../../", import.meta.url).href;
  return { send: (path, init) => fetch(root + path, init), baseUrl: root.replace(/\/$/, "") };
}
