import { BUILT_FILES } from "../base/built-files.ts";
import { preloadFlag } from "../doors/redirect/node-options.ts";

/** Redirects every Node program. */
export const PRELOAD_FLAG = preloadFlag(new URL("redirect.cjs", BUILT_FILES));
