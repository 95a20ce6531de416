import { readFile } from "node:fs/promises";
import { createServer, request as call } from "node:http";
import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { startProcess } from "../../src/node.ts";
import { listenOn } from "./_program.ts";

/** The peak memory of a process, in megabytes. */
async function peakOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1]) / 1_000;
}

const MEGABYTE = Buffer.alloc(1_000_000, "x");

/** Sends a body of this size, as fast as it is read, and counts the bytes of the response. */
function sendAndCount(url: string, key: string, megabytes: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { Authorization: `Bearer ${key}` };
    const sent = call(url, { method: "POST", headers }, (response) => {
      let received = 0;
      response.on("data", (part: Buffer) => (received += part.length));
      response.on("end", () => resolve(received)).on("error", reject);
    });
    let left = megabytes;
    const write = () => {
      while (left > 0) {
        left -= 1;
        if (!sent.write(MEGABYTE)) return void sent.once("drain", write);
      }
      sent.end();
    };
    sent.on("error", reject);
    write();
  });
}

test.skipIf(!existsSync("/proc/self/status"))(
  "bodies of 50 and of 200 MB are streamed in both directions in the same memory",
  async () => {
    const echo = createServer((request, response) => void request.pipe(response));
    const gateway = `http://${await listenOn(echo)}`;
    await using latchkey = await startProcess({ gateway });
    await latchkey.seed({ keys: [{ apiId: "api_local", key: "ord_good" }] });
    const send = (megabytes: number) => sendAndCount(`${latchkey.gateway}/`, "ord_good", megabytes);

    expect(await send(50)).toBe(50_000_000);
    const after50 = await peakOf(latchkey.pid);
    expect(await send(200)).toBe(200_000_000);
    const after200 = await peakOf(latchkey.pid);

    expect(after200 - after50).toBeLessThan(100);
    // oxlint-disable-next-line no-console -- a person wants to know the figures
    console.log(`peak memory: ${after50} MB after 50 MB, ${after200} MB after 200 MB more`);
  },
);
