import type { IncomingMessage } from "node:http";
import { concatenate } from "../emulator/concatenate.ts";
import { MAX_BODY_BYTES, type Body } from "../emulator/exchange.ts";

/** Most clients read no reply before they have sent their body, so this much is waited for. */
const MAX_DROPPED_BYTES = 16 * MAX_BODY_BYTES;

/** Reads a body, and keeps no more of it than the service takes. Rejects when the client goes. */
export function readBody(request: IncomingMessage): Promise<Body> {
  return new Promise((resolve, reject) => {
    let chunks: Uint8Array[] = [];
    let length = 0;
    request.on("data", (chunk: Uint8Array) => {
      length += chunk.length;
      if (length <= MAX_BODY_BYTES) chunks.push(chunk);
      else chunks = [];
      if (length > MAX_DROPPED_BYTES) resolve("too large");
    });
    request.once("end", () => {
      resolve(length > MAX_BODY_BYTES ? "too large" : concatenate(chunks, length));
    });
    request.once("error", reject);
    request.once("close", () => reject(new Error("the client went before its body was read")));
  });
}
