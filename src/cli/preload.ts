import { fileURLToPath } from "node:url";

/** Redirects a Node program that loads it. The relative URL is the same from `src/cli` and `dist/chunks`. */
const PRELOAD = fileURLToPath(new URL("../../dist/redirect.cjs", import.meta.url));

/** What redirects a Node program, in NODE_OPTIONS. Text in quotes has escapes there like those of JSON. */
export const PRELOAD_FLAG = `--require ${JSON.stringify(PRELOAD)}`;

/** NODE_OPTIONS without what an `exec` around this process has added. */
export function withoutPreload(nodeOptions: string | undefined): string | undefined {
  return nodeOptions?.replace(PRELOAD_FLAG, "").trim();
}
