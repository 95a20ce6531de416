import { missingFile } from "../../base/package-file.ts";
import { PAGE_PATH, type PlainRequest } from "../../service/request.ts";
import { PlainReply } from "../../service/reply.ts";
import { PAGE_FILES, type PageFiles, readPageFiles } from "./page-files.ts";

interface Asset {
  readonly file: keyof PageFiles;
  readonly type: string;
  /** For the HTML only: the folder of the other files, relative to the path of the page. */
  readonly folder?: string;
}

const page = { file: "index.html", type: "text/html" } as const;
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
 * A file of the web page; undefined if the request is for something else. Anyone may read the files,
 * because they contain no data of the emulator.
 */
export async function readPageFile({
  method,
  path,
}: PlainRequest): Promise<PlainReply | undefined> {
  const asset = method === "GET" || method === "HEAD" ? assets.get(path) : undefined;
  if (asset === undefined) return undefined;
  const text = (await readPageFiles())?.[asset.file];
  const { folder } = asset;
  const [status, type, shown] =
    text === undefined
      ? [404, "text/plain", missing()]
      : [200, asset.type, folder === undefined ? text : withFolder(text, folder)];
  const body = Buffer.from(shown);
  const bodyHeaders = {
    "Content-Type": `${type}; charset=UTF-8`,
    "Content-Length": String(body.length),
  };
  return new PlainReply(status, { ...bodyHeaders, ...headers }, method === "HEAD" ? [] : [body]);
}

const missing = () =>
  `latchkey's web page is not here: ${missingFile(PAGE_FILES)}. All else works without it.\n`;

/**
 * Puts the folder before the URLs of script and style sheet. The URLs are relative, because a proxy may
 * serve the page under another path. A `<base>` element would also change links to `#…`.
 */
function withFolder(html: string, folder: string): string {
  return html.replaceAll(/(?<=(?:href|src)=")page\./g, `${folder}page.`);
}
