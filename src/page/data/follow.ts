import type { RecordedRequest } from "../../world/journal/recorded-request.ts";
import type { Client } from "./client.ts";
import { Refused } from "./refused.ts";

export interface Follower {
  /** Connected. The emulator sends all requests of the journal again. */
  onOpen(): void;
  onRequest(request: RecordedRequest): void;
  onForgotten(): void;
  onChange(): void;
  /** The connection was lost, or refused; `follow` tries again. */
  onLost(refused: Refused | undefined): void;
}

/** The pause before the next try (ms). Each refusal doubles it up to a maximum, because a token rarely changes. */
const [PAUSE, MOST] = [1_000, 60_000];

/**
 * Follows the events of the emulator until the signal aborts it. Connects again after a restart of the
 * emulator. It uses `fetch`, because `EventSource` cannot send a token.
 */
export async function follow(
  client: Client,
  follower: Follower,
  signal: AbortSignal,
): Promise<void> {
  let pause = PAUSE;
  while (!signal.aborted) {
    let refused: Refused | undefined;
    try {
      await read(await client.events(signal), follower);
    } catch (error) {
      // Status 0 means that there was no answer.
      if (error instanceof Refused && error.status !== 0) refused = error;
    }
    if (signal.aborted) return;
    follower.onLost(refused);
    pause = refused ? Math.min(2 * pause, MOST) : PAUSE;
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

/** An event as the emulator writes it. Other lines keep the connection alive. */
const EVENT = /^event: (\w+)\ndata: (.*)$/;

async function read(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  follower: Follower,
): Promise<void> {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  follower.onOpen();
  for (let rest = ""; ;) {
    const { done, value } = await reader.read();
    if (done) return;
    const events = (rest + value).split("\n\n");
    rest = events.pop() ?? "";
    for (const event of events) {
      const [, name, data = ""] = EVENT.exec(event) ?? [];
      if (name === "request") follower.onRequest(JSON.parse(data));
      else if (name === "forgotten") follower.onForgotten();
      else if (name === "change") follower.onChange();
    }
  }
}
