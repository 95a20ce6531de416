import { http, type HttpHandler } from "msw";
import type { Emulator } from "../emulator/emulator.ts";
import { fromRequest, toResponse } from "../emulator/web.ts";
import { UsageError } from "../usage-error.ts";

export interface HandlerOptions {
  /**
   * Where the client believes the service to be, with or without a path: `https://api.example.com`.
   * Where there is a page, it may be relative to it: `/api`.
   */
  readonly baseUrl: string | readonly string[];
}

/**
 * Makes a handler for each operation at each base URL, with any method, so that a wrong one is told
 * as the service tells it. Every other request is left to msw's `onUnhandledRequest`.
 * @throws UsageError for a base URL that no request could begin with
 */
export function createHandlers(emulator: Emulator, options: HandlerOptions): HttpHandler[] {
  const baseUrls = toBaseUrls(options);
  return emulator.operations.flatMap(({ contract: { path } }) =>
    baseUrls.map((baseUrl) => {
      const { href } = new URL(baseUrl + path);
      // Compared to the letter: msw's own paths take a trailing slash and capitals as well.
      const isHere = ({ request }: { request: Request }) => withoutQuery(request.url) === href;
      return http.all(isHere, async ({ request }) =>
        toResponse(await emulator.handle({ ...(await fromRequest(request)), path })),
      );
    }),
  );
}

function toBaseUrls(options: HandlerOptions): string[] {
  const { baseUrl } = (options ?? {}) as Partial<HandlerOptions>;
  const texts = Array.isArray(baseUrl) ? baseUrl : [baseUrl];
  if (texts.length === 0) throw new UsageError(`createHandlers: baseUrl: ${EXPECTED}, got none`);
  return texts.map(toBaseUrl);
}

const EXPECTED = "expected a URL of http or https without a query, like https://api.example.com";

function toBaseUrl(text: unknown): string {
  const { location } = globalThis as { readonly location?: { readonly href: string } };
  const isText = typeof text === "string";
  if (isText && URL.canParse(text, location?.href)) {
    const { protocol, origin, pathname, search, hash } = new URL(text, location?.href);
    const isWeb = protocol === "http:" || protocol === "https:";
    if (isWeb && search === "" && hash === "") return origin + pathname.replace(/\/+$/, "");
  }
  const got = isText ? JSON.stringify(text) : String(text);
  throw new UsageError(`createHandlers: baseUrl: ${EXPECTED}, got ${got}`);
}

function withoutQuery(url: string): string {
  return url.replace(/[?#].*$/s, "");
}
