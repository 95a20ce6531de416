#!/usr/bin/env node
import { existsSync } from "node:fs";

const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`latchkey: expected Node.js 20.19 or later, got ${process.versions.node}`);
  process.exit(1);
}

// The reader of a pipe may go before everything is written: `latchkey openapi | head`. The
// emulator goes on without its log.
process.stdout.on("error", () => {});
process.stderr.on("error", () => {});

const entry = new URL("../dist/cli/main.js", import.meta.url);
if (!existsSync(entry)) {
  console.error("latchkey: it is not built yet; run `npm run build` first");
  process.exit(1);
}

const { main } = await import(entry);
process.exitCode = await main(process.argv.slice(2));
