/** The folder of the built files. The relative URL is the same from `src/base` and `dist/chunks`. */
export const BUILT_FILES = new URL("../../dist/", import.meta.url);
