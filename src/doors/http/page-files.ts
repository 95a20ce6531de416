import { existsSync } from "node:fs";
import { packageFile } from "../../base/package-file.ts";

/** The names of the page's files. */
export type PageFile = "index.html" | "page.js" | "page.css";
const names: readonly PageFile[] = ["index.html", "page.js", "page.css"];

export const pageFile = (name: PageFile): URL | undefined => packageFile(`dist/page/${name}`);

/** Whether all files of the page exist: a single one could belong to another program. */
export function hasPageFiles(): boolean {
  return names.every((name) => {
    const url = pageFile(name);
    return url !== undefined && existsSync(url);
  });
}
