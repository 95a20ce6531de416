#!/usr/bin/env node
import module from "node:module";

const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`latchkey: expected Node.js 20.19 or later, got ${process.versions.node}`);
  process.exit(1);
}

// From version 22.1 on, Node can keep compiled code for later starts, which then take a tenth less time.
// It is kept in the system's folder for temporary files, unless NODE_DISABLE_COMPILE_CACHE is set.
module.enableCompileCache?.();

// Without these listeners the error would end the process; an emulator keeps running without its log.
let isLost = false;
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", ({ code, message }) => {
    // The reader of a pipe may end early, as in `latchkey openapi | head`, and a terminal may be closed.
    if (code === "EPIPE" || code === "EIO" || isLost) return;
    isLost = true;
    process.exitCode ||= 1;
    if (stream === process.stdout)
      console.error(`latchkey: the output cannot be written: ${message}`);
  });
}

const { main } = await import("../dist/cli/main.js").catch((error) => {
  if (error.code !== "ERR_MODULE_NOT_FOUND" || !error.url?.endsWith("/dist/cli/main.js"))
    throw error;
  console.error("latchkey: expected a build in dist, got none; run `npm run build` first");
  process.exit(1);
});
process.exitCode = (await main(process.argv.slice(2))) || Number(isLost);
