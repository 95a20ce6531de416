import { http, HttpResponse, type HttpHandler } from "msw";
import type { Emulator } from "../emulator/emulator.ts";
import { checkNames } from "../emulator/check-names.ts";
import { requireEmulator } from "../emulator/require-emulator.ts";
import { fromRequest, toResponse } from "../emulator/web.ts";
import { UsageError } from "../usage-error.ts";

export interface HandlerOptions {
  /**
   * Where the client believes the service to be, with or without a path: `https://api.example.com`.
   * Where there is a page, it may be relative to it: `/api`.
   */
  readonly baseUrl: string | URL | readonly (string | URL)[];
}

/**
 * Makes a handler for each operation at each base URL, with any method, so that a wrong one is told
 * as the service tells it. Every other request is left to msw's `onUnhandledRequest`.
 * @throws UsageError for what is no emulator, and for a base URL that no request could begin with
 */
export function createHandlers(emulator: Emulator, options: HandlerOptions): HttpHandler[] {
  requireEmulator(emulator, "createHandlers");
  checkNames("createHandlers", options ?? {}, ["baseUrl"]);
  const baseUrls = toBaseUrls(options);
  return emulator.operations.flatMap(({ contract: { path } }) =>
    baseUrls.map((baseUrl) => {
      const url = toUrl(baseUrl + path).href;
      // Compared to the letter: msw's own paths take a trailing slash and capitals as well.
      const isHere = ({ request }: { request: Request }) => withoutQuery(request.url) === url;
      return http.all(isHere, async ({ request }) => {
        const reply = await emulator.handle({ ...(await fromRequest(request)), path });
        // msw sends a reply whole or not at all.
        const isBroken = reply.effect === "drop" || reply.effect === "truncate";
        return isBroken ? HttpResponse.error() : toResponse(reply);
      });
    }),
  );
}

function toBaseUrls(options: HandlerOptions): string[] {
  const { baseUrl } = (options ?? {}) as Partial<HandlerOptions>;
  const texts: unknown[] = Array.isArray(baseUrl) ? baseUrl : [baseUrl];
  if (texts.length === 0) throw new UsageError(`createHandlers: baseUrl: ${EXPECTED}, got none`);
  return texts.map((given) => {
    const text = given instanceof URL ? given.href : given;
    const base = typeof text === "string" ? text.replace(/\/+$/, "") : undefined;
    if (base !== undefined && isWeb(`${base}/`)) return base;
    const got = typeof text === "string" ? JSON.stringify(text) : String(text);
    throw new UsageError(`createHandlers: baseUrl: ${EXPECTED}, got ${got}`);
  });
}

const EXPECTED =
  "expected a URL of http or https without a query, like https://api.example.com, or one that is relative to the page where there is a page";

function isWeb(text: string): boolean {
  try {
    return !/[?#]/.test(text) && ["http:", "https:"].includes(toUrl(text).protocol);
  } catch {
    return false;
  }
}

/** What a client sends there, from the page that it is on. */
function toUrl(text: string): URL {
  const { location } = globalThis as { readonly location?: { readonly href: string } };
  return new URL(text, location?.href);
}

function withoutQuery(url: string): string {
  return url.replace(/[?#].*$/s, "");
}
