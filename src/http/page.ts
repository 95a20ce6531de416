import { readFile } from "node:fs/promises";
import { PAGE_PATH, PlainReply, type PlainRequest } from "../service/exchange.ts";

/** Where the build puts it; the same place from the sources, the library and the bundle. */
const FOLDER = new URL("../../dist/page/", import.meta.url);

interface Part {
  readonly file: string;
  readonly type: string;
  /** For the page: where its other parts stand, seen from its own path. */
  readonly folder?: string;
}

const page = { file: "index.html", type: "text/html" };
const parts: ReadonlyMap<string, Part> = new Map([
  ["/", { ...page, folder: `.${PAGE_PATH}/` }],
  [PAGE_PATH, { ...page, folder: "ui/" }],
  [`${PAGE_PATH}/`, { ...page, folder: "" }],
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
  const text = await readFile(new URL(part.file, FOLDER)).catch(() => undefined);
  if (text === undefined) return undefined;
  const { folder } = part;
  const body = folder === undefined ? text : placeParts(text, folder);
  const type = `${part.type}; charset=UTF-8`;
  const more = { "Content-Type": type, "Content-Length": String(body.length) };
  return new PlainReply(200, { ...more, ...headers }, method === "HEAD" ? [] : [body]);
}

/**
 * Names the parts relative to the page, because a proxy may serve it below another path. A
 * `<base>` would do the same, but would also turn each link to `#…` into a link to another page.
 */
function placeParts(html: Buffer, folder: string): Buffer {
  return Buffer.from(html.toString().replaceAll(/(?<=(?:href|src)=")page\./g, `${folder}page.`));
}
