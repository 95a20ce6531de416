import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { clearTimeout, setTimeout } from "node:timers";

/**
 * How long (milliseconds) a client that goes on sending is listened to after its last reply. A
 * connection that is closed on unread bytes is reset, and a reset takes away what the client has
 * not read yet, the reply included.
 */
const LINGER = 1_000;

/** Drops what still arrives until there is no more of it, or for so long. */
export function linger(source: IncomingMessage | Socket): Promise<void> {
  return new Promise((resolve) => {
    const stop = () => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(stop, LINGER);
    source.once("end", stop).once("close", stop).resume();
  });
}
