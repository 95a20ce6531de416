import { expect } from "vitest";
import type { Emulator, PlainReply } from "../../src/index.ts";
import type { Fetch } from "./doors.ts";

/** What a server adds of its own. */
const OF_TRANSPORT = ["connection", "date", "keep-alive"];

/** Sends through a door and checks that what comes out is, byte for byte, what the emulator said. */
export function comparing(emulator: Emulator, send: Fetch): Fetch {
  const replies = new Map<string | null, PlainReply>();
  const handle = emulator.handle.bind(emulator);
  emulator.handle = async (request) => {
    const reply = await handle(request);
    replies.set(reply.headers["Unkey-Request-Id"] ?? null, reply);
    return reply;
  };
  return async (request) => {
    const response = await send(request);
    const id = response.headers.get("Unkey-Request-Id");
    const reply = replies.get(id);
    // Of one that is cut off, the test itself sees how it ends.
    if (reply?.effect !== undefined) return response;
    replies.delete(id);
    const body = textOf(new Uint8Array(await response.clone().arrayBuffer()));
    expect({ ...shown(response), body }).toEqual({ ...(reply && wanted(reply)) });
    return response;
  };
}

/** A text with a character for each byte, because `toEqual` takes seconds for a long `Uint8Array`. */
function textOf(bytes: Uint8Array): string {
  return new TextDecoder("latin1").decode(bytes);
}

function shown({ status, headers }: Response) {
  const own = [...headers].filter(([name]) => !OF_TRANSPORT.includes(name));
  return { status, headers: Object.fromEntries(own) };
}

function wanted({ status, headers, body }: PlainReply) {
  return {
    status,
    headers: Object.fromEntries(new Headers({ ...headers })),
    body: textOf(body),
  };
}
