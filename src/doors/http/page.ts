import { readFile } from "node:fs/promises";
import { PAGE_PATH, type PlainRequest } from "../../service/request.ts";
import { PlainReply } from "../../service/reply.ts";
import { BUILT_FILES } from "../../base/built-files.ts";

const FOLDER = new URL("page/", BUILT_FILES);

interface Asset {
  readonly file: string;
  readonly type: string;
  /** For the HTML: the folder of the other files, relative to the path of the page. */
  readonly folder?: string;
}

const page = { file: "index.html", type: "text/html" };
const assets: ReadonlyMap<string, Asset> = new Map<string, Asset>([
  ["/", { ...page, folder: `.${PAGE_PATH}/` }],
  [PAGE_PATH, { ...page, folder: "ui/" }],
  [`${PAGE_PATH}/`, { ...page, folder: "" }],
  [`${PAGE_PATH}/page.js`, { file: "page.js", type: "text/javascript" }],
  [`${PAGE_PATH}/page.css`, { file: "page.css", type: "text/css" }],
]);

/**
 * The page loads nothing from other hosts and sends nothing to them. Other pages cannot embed it in a
 * frame, which prevents clickjacking.
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
 * A file of the web page; undefined if the request is for something else. Everyone may read the files,
 * because they contain no data of the emulator.
 */
export async function readPageFile({
  method,
  path,
}: PlainRequest): Promise<PlainReply | undefined> {
  const asset = method === "GET" || method === "HEAD" ? assets.get(path) : undefined;
  if (asset === undefined) return undefined;
  // The file is missing if the page was not built.
  const text = await readFile(new URL(asset.file, FOLDER)).catch(() => undefined);
  if (text === undefined) return undefined;
  const { folder } = asset;
  const body = folder === undefined ? text : withFolder(text, folder);
  const type = `${asset.type}; charset=UTF-8`;
  const bodyHeaders = { "Content-Type": type, "Content-Length": String(body.length) };
  return new PlainReply(200, { ...bodyHeaders, ...headers }, method === "HEAD" ? [] : [body]);
}

/**
 * Puts the folder before the URLs of script and style sheet. The URLs are relative, because a proxy may
 * serve the page under another path. A `<base>` element would change the links to `#…` too.
 */
function withFolder(html: Buffer, folder: string): Buffer {
  return Buffer.from(html.toString().replaceAll(/(?<=(?:href|src)=")page\./g, `${folder}page.`));
}
