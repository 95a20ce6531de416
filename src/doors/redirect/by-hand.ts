/**
 * Redirects the program that imports it. It loads the file that `--as` preloads, so that a program that
 * is redirected already is changed once.
 * @module
 * @throws Error as `redirect.ts` does, and in a bundle, which has no file that child processes could load
 */
import { existsSync } from "node:fs";
// As a whole: webpack takes an imported `createRequire` for a `require` that it bundles.
import module from "node:module";
import { missingFile, packageFile } from "../../base/package-file.ts";

const PRELOAD = "dist/redirect.cjs";
const file = packageFile(PRELOAD);
if (file === undefined || !existsSync(file)) {
  throw new Error(`latchkey/redirect: ${missingFile(PRELOAD)}`);
}
module.createRequire(file)("./redirect.cjs");
