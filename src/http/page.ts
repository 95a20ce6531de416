import { readFile } from "node:fs/promises";
import { PAGE_PATH, PlainReply, type PlainRequest } from "../emulator/exchange.ts";

/** Where the build puts it; the same place from the sources, the library and the bundle. */
const FOLDER = new URL("../../dist/page/", import.meta.url);

interface Part {
  readonly file: string;
  readonly type: string;
}

const page: Part = { file: "index.html", type: "text/html" };
const parts: ReadonlyMap<string, Part> = new Map([
  ["/", page],
  [PAGE_PATH, page],
  [`${PAGE_PATH}/`, page],
  [`${PAGE_PATH}/page.js`, { file: "page.js", type: "text/javascript" }],
  [`${PAGE_PATH}/page.css`, { file: "page.css", type: "text/css" }],
]);

/**
 * It loads nothing of another host, sends nothing to one, and stands in no page of another, which
 * could have somebody click in it without knowing.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const headers = {
  "Cache-Control": "no-store",
  "Content-Security-Policy": policy,
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
};

/**
 * The page to look at the emulator, or a part of it. It has no secrets and says nothing of what the
 * emulator holds, so anyone may have it. Undefined where this request asks for neither.
 */
export async function readPage({ method, path }: PlainRequest): Promise<PlainReply | undefined> {
  const part = method === "GET" || method === "HEAD" ? parts.get(path) : undefined;
  if (part === undefined) return undefined;
  // In a checkout that was not built there is none.
  const body = await readFile(new URL(part.file, FOLDER)).catch(() => undefined);
  if (body === undefined) return undefined;
  const type = `${part.type}; charset=UTF-8`;
  const more = { "Content-Type": type, "Content-Length": String(body.length) };
  return new PlainReply(200, { ...more, ...headers }, method === "HEAD" ? [] : [body]);
}
