import { existsSync } from "node:fs";

/** `npm test` builds first; this tells who runs vitest alone what is missing. */
export default function setup(): void {
  if (!existsSync("dist/cli/main.js")) {
    throw new Error("dist is missing: run `npm run build` before vitest, or use `npm test`");
  }
}
