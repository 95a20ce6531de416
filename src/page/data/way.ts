import type { KeptWorld } from "./kept-world.ts";

/** The token to send if the emulator accepts any. */
export const ANY_TOKEN = "local";

/** The tokens that the page sends: one for operations, and a control token if the first is not enough. */
export interface Tokens {
  readonly token: string;
  readonly controlToken: string | undefined;
}

/** How the page reaches an emulator, and what is known about it from the start. */
export interface Way {
  /**
   * Sends a request, as `fetch` does.
   * @param path without a slash at its start, like `v2/keys.getKey`
   */
  send(path: string, init: RequestInit): Promise<Response>;
  /** The URL for clients, without a slash at its end; undefined if the emulator runs in the browser. */
  readonly baseUrl?: string;
  /** The tokens to send at first. Default: from the address of the page, or from this tab. */
  readonly tokens?: Tokens;
  /** The name of the page. Default: latchkey. */
  readonly title?: string | undefined;
  /** What went wrong before the page was there, a line each. */
  readonly notices?: readonly string[];
  /** What the browser keeps of a static site. */
  readonly kept?: KeptWorld;
}

/**
 * The way to the server of the page. The URL is relative to this code, which is served at
 * `_latchkey/ui/page.js`, so it is right even if a proxy serves the emulator below a path.
 */
export function wayToServer(): Way {
  const root = new URL("../../", import.meta.url).href;
  return { send: (path, init) => fetch(root + path, init), baseUrl: root.replace(/\/$/, "") };
}
