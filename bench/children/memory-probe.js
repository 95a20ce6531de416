// Preloaded into the process of an emulator (`--import`). On a message it collects all garbage and sends
// the memory that is left.
process.on("message", () => {
  // Objects that the first collection frees may have kept other memory alive.
  for (let turn = 0; turn < 2; turn += 1) globalThis.gc();
  process.send(process.memoryUsage());
});
