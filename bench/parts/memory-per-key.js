// Measures the memory of a made-up key.
import { on } from "node:events";
import { join } from "node:path";
import { memoryOf, startLatchkey, stop } from "../processes.js";
import { number, table } from "../report.js";

const probe = join(import.meta.dirname, "../children/memory-probe.js");

export async function measureMemoryPerKey({ memoryKeys }, tell) {
  tell(`memory of ${number(memoryKeys)} keys`);
  const few = await measure([]);
  const many = await measure(["--generate", String(memoryKeys)]);
  const names = { rss: "resident", rssLeft: "resident, no garbage", heap: "heap and buffers" };
  const rows = Object.entries(names).map(([name, title]) => [
    title,
    few[name].toFixed(1),
    many[name].toFixed(1),
    perKey(few, many, name).toFixed(2),
  ]);
  const note = `After the first page. Resident memory includes garbage, as much as V8 keeps; \`heap and buffers\` is the heap and the memory outside of it after a full collection, and that is the figure.`;
  const columns = ["memory", "at start, MB", `${number(memoryKeys)} keys, MB`, "kB a key"];
  return {
    figures: { memoryPerKey: { value: perKey(few, many, "heap") } },
    tables: [table("Memory of a key", { columns, note, rows })],
  };
}

async function measure(flags) {
  const nodeFlags = ["--expose-gc", "--import", probe];
  const server = await startLatchkey(flags, { nodeFlags, ipc: true });
  const rss = memoryOf(server);
  server.child.send("collect");
  const left = await memoryLeft(server.child);
  await stop(server);
  const MB = 2 ** 20;
  return {
    keys: server.keys,
    rss,
    rssLeft: left.rss / MB,
    heap: (left.heapUsed + left.external) / MB,
  };
}

/** The answer of the probe. The emulator also sends a message: that it is ready. */
async function memoryLeft(child) {
  for await (const [message] of on(child, "message")) if ("heapUsed" in message) return message;
  throw new Error("the process ended without an answer");
}

function perKey(few, many, name) {
  return ((many[name] - few[name]) * 1_024) / (many.keys - few.keys);
}
