import { EventSourceParserStream } from "eventsource-parser/stream";
import type { RecordedRequest } from "../control/recorded-request.ts";
import type { Client } from "./client.ts";
import { Refused } from "./refused.ts";

export interface Follower {
  /** The connection is there, and everything is told anew. */
  onOpen(): void;
  onRequest(request: RecordedRequest): void;
  onForgotten(): void;
  onChange(): void;
  /** The connection is gone, and is tried again unless it was refused. */
  onLost(refused: Refused | undefined): void;
}

/** A token or a host that may not come, or no control routes: to try again helps nothing. */
const FINAL = new Set([401, 403, 404]);
/** Before it is tried again (ms). */
const REST = 1_000;

/**
 * Follows what happens in the emulator until the signal ends it, through restarts of the emulator.
 * `EventSource` sends no token, so this is `fetch`.
 */
export async function follow(
  client: Client,
  follower: Follower,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await read(await client.events(signal), follower);
      if (!signal.aborted) follower.onLost(undefined);
    } catch (error) {
      if (signal.aborted) return;
      const refused = error instanceof Refused && FINAL.has(error.status) ? error : undefined;
      follower.onLost(refused);
      if (refused !== undefined) return;
    }
    await new Promise((resolve) => setTimeout(resolve, REST));
  }
}

async function read(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  follower: Follower,
): Promise<void> {
  const reader = stream
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream())
    .getReader();
  follower.onOpen();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    if (value.event === "request") follower.onRequest(JSON.parse(value.data));
    else if (value.event === "forgotten") follower.onForgotten();
    else if (value.event === "change") follower.onChange();
  }
}
