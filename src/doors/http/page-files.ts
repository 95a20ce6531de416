import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { packageFile } from "../../base/package-file.ts";

/** All files of the page: `mountPage` imports it too. No other program has a file of this name. */
export const PAGE_FILES = "dist/page/latchkey-page.js";
/** What the module has around its JSON. */
const [START, END] = ["export const files = ", ";\n"];

/** The texts of the page's files by their names. */
export type PageFiles = Readonly<Record<"index.html" | "page.css" | "page.js", string>>;

export function hasPageFiles(): boolean {
  const url = packageFile(PAGE_FILES);
  return url !== undefined && existsSync(url);
}

/** @returns undefined if the file is not there, as in a bundle */
export async function readPageFiles(): Promise<PageFiles | undefined> {
  const url = packageFile(PAGE_FILES);
  const text = url && (await readFile(url, "utf8").catch(() => undefined));
  return text === undefined ? undefined : JSON.parse(text.slice(START.length, -END.length));
}
