import { http, HttpResponse, type HttpHandler } from "msw";
import type { Emulator } from "../emulator/emulator.ts";
import { checkNames } from "../world/check-names.ts";
import { requireEmulator } from "../emulator/require-emulator.ts";
import { fromRequest, toResponse } from "../emulator/web.ts";
import { UsageError } from "../usage-error.ts";

export interface HandlerOptions {
  /**
   * Where the client believes the service to be, with or without a path: `https://api.example.com`.
   * Where there is a page, it may be relative to it: `/api`.
   */
  readonly baseUrl: string | URL | readonly (string | URL)[];
  /**
   * What happens to requests below a base URL that lead to no operation. `"pass"` leaves them to
   * msw's `onUnhandledRequest`; `"refuse"` answers them with 404 as HTTP does, in a message that
   * says what is missing, and puts them into the journal. Requests to other URLs pass either way.
   * Default: `"pass"`.
   */
  readonly others?: "pass" | "refuse" | undefined;
}

/**
 * Makes a handler for each operation at each base URL, with any method, so that a wrong one is told
 * as the service tells it. `others` decides about every other request below a base URL.
 * @throws UsageError for what is no emulator, for a base URL that no request could begin with, and
 *   for an option that is unknown or has another value
 */
export function createHandlers(emulator: Emulator, options: HandlerOptions): HttpHandler[] {
  requireEmulator(emulator, "createHandlers");
  checkNames("createHandlers", options ?? {}, ["baseUrl", "others"]);
  const baseUrls = toBaseUrls(options);
  const operations = emulator.operations.flatMap(({ contract: { path } }) =>
    baseUrls.map((baseUrl) => {
      const url = toUrl(baseUrl + path).href;
      return toHandler(emulator, (sent) => (sent === url ? path : undefined));
    }),
  );
  return refusesOthers(options)
    ? [...operations, ...toOtherHandlers(emulator, baseUrls)]
    : operations;
}

/** Handlers for every path below a base URL; the innermost base URL comes first. */
function toOtherHandlers(emulator: Emulator, baseUrls: readonly string[]): HttpHandler[] {
  return baseUrls
    .map((baseUrl) => toUrl(`${baseUrl}/`).href.slice(0, -1))
    .toSorted((one, other) => other.length - one.length)
    .map((base) =>
      toHandler(emulator, (sent) => {
        if (sent === base) return "/";
        return sent.startsWith(`${base}/`) ? sent.slice(base.length) : undefined;
      }),
    );
}

/**
 * A handler for the URLs that lead to a path of the emulator. They are compared to the letter:
 * msw's own paths take a trailing slash and capitals as well.
 */
function toHandler(emulator: Emulator, pathOf: (url: string) => string | undefined): HttpHandler {
  const isHere = ({ request }: { request: Request }) =>
    pathOf(withoutQuery(request.url)) !== undefined;
  return http.all(isHere, async ({ request }) => {
    const path = pathOf(withoutQuery(request.url)) ?? "/";
    const reply = await emulator.handle({ ...(await fromRequest(request)), path });
    // msw sends a reply whole or not at all.
    const isBroken = reply.effect === "drop" || reply.effect === "truncate";
    return isBroken ? HttpResponse.error() : toResponse(reply);
  });
}

function refusesOthers({ others = "pass" }: HandlerOptions): boolean {
  if (others === "pass" || others === "refuse") return others === "refuse";
  const got = typeof others === "string" ? JSON.stringify(others) : String(others);
  throw new UsageError(`createHandlers: others: expected "pass" or "refuse", got ${got}`);
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
