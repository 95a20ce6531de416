import { http, type HttpHandler, HttpResponse } from "msw";
import type { Emulator } from "../emulator/emulator.ts";
import { checkNames, UsageError } from "../base/usage-error.ts";
import { Lifetime } from "../base/lifetime.ts";
import { fromRequest, requireEmulator, toResponse } from "../emulator/web.ts";
import { isUrl } from "../base/realm.ts";

/** The options of `createHandlers`. */
export interface HandlerOptions {
  /**
   * The base URLs that the client sends its requests to, with or without a path, like
   * `https://api.example.com`. In a browser, one that begins with `/`, `./` or `../` is relative to the page.
   */
  readonly baseUrl: string | URL | readonly (string | URL)[];
  /**
   * What happens to requests under a base URL that match no operation. `"pass"` leaves them to msw's
   * `onUnhandledRequest`. `"refuse"` answers them with 404, as `serve` does: the message names the closest
   * operation, and they are in the journal. Requests to other URLs always pass. Default: `"pass"`.
   */
  readonly others?: "pass" | "refuse" | undefined;
}

/**
 * Makes the msw handler of all operations below all base URLs. It handles all methods, so that a wrong
 * method is answered with the service's 405.
 * @throws UsageError if `emulator` is no emulator, or an option is unknown or invalid
 */
export function createHandlers(emulator: Emulator, options: HandlerOptions): HttpHandler[] {
  requireEmulator(emulator, "createHandlers");
  checkNames("createHandlers", options ?? {}, ["baseUrl", "others"]);
  const pathOf = pathFinder(emulator, options);
  // One handler, because msw runs all handlers before the one that matches, for each request.
  const handler = http.all(
    ({ request }) => pathOf(request.url) !== undefined,
    async ({ request }) => {
      const path = pathOf(request.url) ?? "/";
      const client = new Lifetime();
      request.signal.addEventListener("abort", () => client.end());
      const reply = await emulator.handle({ ...(await fromRequest(request, client)), path });
      // msw cannot end a body early, so `truncate` becomes a network error, like `drop`.
      const isBroken = reply.effect === "drop" || reply.effect === "truncate";
      return isBroken ? HttpResponse.error() : toResponse(reply);
    },
  );
  return [handler];
}

/**
 * A function that finds the path of a URL below its base URL; undefined for a URL to leave to msw. It
 * compares exactly, as the service does. msw's own paths would also match other capitals and a trailing
 * slash.
 */
function pathFinder(emulator: Emulator, options: HandlerOptions) {
  const served = new Set<string>(emulator.operations.map(({ contract }) => contract.path));
  const baseUrls = toBaseUrls(options)
    .map((baseUrl) => toUrl(`${baseUrl}/`).href.slice(0, -1))
    // If a URL is below several base URLs, the longest one wins.
    .toSorted((one, other) => other.length - one.length);
  const isRefusing = refusesOthers(options);
  return (sent: string): string | undefined => {
    const url = sent.replace(/[?#].*$/s, "");
    const paths = baseUrls
      .filter((base) => `${url}/`.startsWith(`${base}/`))
      .map((base) => url.slice(base.length) || "/");
    return paths.find((path) => served.has(path)) ?? (isRefusing ? paths[0] : undefined);
  };
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
  return texts.map((value) => {
    const text = isUrl(value) ? value.href : value;
    if (typeof text === "string" && isBaseUrl(text)) return text.replace(/\/+$/, "");
    const got = typeof text === "string" ? JSON.stringify(text) : String(text);
    throw new UsageError(`createHandlers: baseUrl: ${EXPECTED}, got ${got}`);
  });
}

const EXPECTED =
  "expected an http or https URL without a query, like https://api.example.com, or in a browser one that is relative to the page and begins with /, ./ or ../";

/** Otherwise `undefined` or a host without a scheme would be read as a path of the page. */
function isBaseUrl(text: string): boolean {
  if (!/^(?:https?:\/\/|\.{0,2}\/)[^?#]*$/i.test(text)) return false;
  try {
    const { hostname, protocol } = toUrl(text);
    return ["http:", "https:"].includes(protocol) && !hostname.includes("*");
  } catch {
    return false;
  }
}

/** Resolves a URL as `fetch` does: relative to the page, if there is one. */
function toUrl(text: string): URL {
  const { location } = globalThis as { readonly location?: { readonly href: string } };
  return new URL(text, location?.href);
}
