/**
 * Redirects the program that imports it. It loads the same file as `--as`, so that an already redirected
 * program is changed only once.
 * @module
 * @throws Error as `redirect.ts` does, and in a bundle, which has no file that child processes could load
 */
import { existsSync } from "node:fs";
// The whole module: webpack would bundle what an imported `createRequire` requires.
import module from "node:module";
import { missingFile, packageFile } from "../../base/package-file.ts";

const PRELOAD = "dist/redirect.cjs";
const file = packageFile(PRELOAD);
if (file === undefined || !existsSync(file)) {
  throw new Error(`latchkey/redirect: ${missingFile(PRELOAD)}`);
}
module.createRequire(file)("./redirect.cjs");
