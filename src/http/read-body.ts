import type { IncomingMessage } from "node:http";
import { concatenate } from "../base/concatenate.ts";
import type { Body } from "../service/request.ts";

/** How much of a longer body is discarded: most clients read no reply before they have sent it all. */
const MAX_DROPPED_BYTES = 16 * 1_048_576;

/** Reads a body of up to `max` bytes, and discards a longer one. Rejects if the client disconnects. */
export function readBody(request: IncomingMessage, max: number): Promise<Body> {
  return new Promise((resolve, reject) => {
    let chunks: Uint8Array[] = [];
    let length = 0;
    let isComplete = false;
    request.on("data", (chunk: Uint8Array) => {
      length += chunk.length;
      if (length <= max) chunks.push(chunk);
      else chunks = [];
      if (length > max + MAX_DROPPED_BYTES) resolve("too large");
    });
    request.on("end", () => {
      isComplete = true;
      resolve(length > max ? "too large" : concatenate(chunks, length));
    });
    request.on("error", reject);
    request.on("close", () => {
      // `close` comes after every request. An error is needed only if the request is incomplete.
      if (!isComplete) reject(new Error("the client disconnected before its body was read"));
    });
  });
}
