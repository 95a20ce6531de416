import { existsSync } from "node:fs";

/** Fails with advice if vitest runs without a build; `npm test` builds first. */
export default function setup(): void {
  if (!existsSync("dist/cli/main.js")) {
    throw new Error("dist is missing: run `npm run build` before vitest, or use `npm test`");
  }
}
