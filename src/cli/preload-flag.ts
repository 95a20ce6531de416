import { preloadFlag } from "../redirect/node-options.ts";

/** Redirects every Node program. The relative URL is the same from `src/cli` and `dist/chunks`. */
export const PRELOAD_FLAG = preloadFlag(new URL("../../dist/redirect.cjs", import.meta.url));
