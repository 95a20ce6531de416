import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { clearTimeout, setTimeout } from "node:timers";

/**
 * How long to read after the last reply, in milliseconds. TCP resets a connection that is closed with
 * unread bytes, and the client may then lose the reply (RFC 9112, 9.6).
 */
const LINGER = 1_000;

/** Reads and discards data until the client stops sending, or the time is over. */
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
