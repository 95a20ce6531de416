#!/usr/bin/env node
const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`latchkey: expected Node.js 20.19 or later, got ${process.versions.node}`);
  process.exit(1);
}

// The reader of a pipe may go before everything is written: `latchkey openapi | head`. The
// emulator goes on without its log.
process.stdout.on("error", () => {});
process.stderr.on("error", () => {});

const { main } = await import("../dist/cli/main.js");
process.exitCode = await main(process.argv.slice(2));
