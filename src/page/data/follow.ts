import { EventSourceParserStream } from "eventsource-parser/stream";
import type { RecordedRequest } from "../../journal/recorded-request.ts";
import type { Client } from "./client.ts";
import { Refused } from "./refused.ts";

export interface Follower {
  /** The connection is there, and everything is told anew. */
  onOpen(): void;
  onRequest(request: RecordedRequest): void;
  onForgotten(): void;
  onChange(): void;
  /** The connection is gone, or was refused; it is tried again. */
  onLost(refused: Refused | undefined): void;
}

/** Before it is tried again (ms); what was refused may be allowed one day. */
const REST = 1_000;
const LONG_REST = 5_000;

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
    let refused: Refused | undefined;
    try {
      await read(await client.events(signal), follower);
    } catch (error) {
      // No status: no answer.
      if (error instanceof Refused && error.status !== 0) refused = error;
    }
    if (signal.aborted) return;
    follower.onLost(refused);
    await new Promise((resolve) => setTimeout(resolve, refused ? LONG_REST : REST));
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
