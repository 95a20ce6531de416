// Loaded into a process of the emulator before it starts (`--import`): on a message it collects all
// garbage and tells what memory is left.
process.on("message", () => {
  // What the first collection lets go of may hold more.
  for (let turn = 0; turn < 2; turn += 1) globalThis.gc();
  process.send(process.memoryUsage());
});
