// Measures the memory of a made-up key, after the first page.
import { on } from "node:events";
import { join } from "node:path";
import { startLatchkey, stop } from "../processes.js";
import { number, table } from "../report.js";

const probe = join(import.meta.dirname, "../children/memory-probe.js");

export async function measureMemoryPerKey({ memoryKeys }, tell) {
  tell(`memory of ${number(memoryKeys)} keys`);
  const few = await measure([]);
  const many = await measure(["--generate", String(memoryKeys)]);
  const perKey = ((many.memory - few.memory) * 1_024) / (many.keys - few.keys);
  const rows = [[few.memory.toFixed(1), many.memory.toFixed(1), perKey.toFixed(2)]];
  const note =
    "The heap and the memory outside of it that are left after a full collection, behind the first page.";
  const columns = ["at start, MB", `${number(memoryKeys)} keys, MB`, "kB a key"];
  return {
    figures: { memoryPerKey: { value: perKey } },
    tables: [table("Memory of a key", { columns, note, rows })],
  };
}

async function measure(flags) {
  const nodeFlags = ["--expose-gc", "--import", probe];
  const { child, keys } = await startLatchkey(flags, { nodeFlags, ipc: true });
  child.send("collect");
  // The emulator also sends a message: that it is ready.
  for await (const [message] of on(child, "message")) {
    if (!("heapUsed" in message)) continue;
    await stop({ child });
    return { keys, memory: (message.heapUsed + message.external) / 2 ** 20 };
  }
  throw new Error("the process ended without an answer");
}
