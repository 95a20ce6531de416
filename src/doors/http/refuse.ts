import { type IncomingMessage, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Emulator } from "../../emulator/emulator.ts";
import type { PlainReply } from "../../service/reply.ts";
import { clearTimeout, setTimeout } from "node:timers";

/** Answers bytes that are not HTTP with the usual error envelope, and closes the connection. */
export async function refuseBytes(
  emulator: Emulator,
  error: { readonly code?: string | undefined },
  socket: Socket,
): Promise<void> {
  // The last reply was sent already. Anything that still arrives is ignored.
  if (socket.writableEnded) return;
  if (!socket.writable || error.code === "ECONNRESET") {
    socket.destroy();
    return;
  }
  const refusal = refusals[error.code ?? ""] ?? {
    status: 400,
    message: "expected an HTTP request",
  };
  const { message, status, reason = STATUS_CODES[status] } = refusal;
  socket.end(toBytes(emulator.refuseUnread(status, message), reason));
  await linger(socket);
  socket.destroy();
}

interface SocketRefusal {
  readonly status: number;
  readonly message: string;
  /** The reason phrase of the status line. Default: the standard one of the status. */
  readonly reason?: string;
}

const refusals: Record<string, SocketRefusal> = {
  CONNECT: {
    status: 400,
    message:
      "method: expected a request to latchkey itself, got CONNECT, which asks a proxy for a tunnel; set the base URL of your client to the http:// address of latchkey, and do not use it as a proxy",
    // If a proxy refuses a tunnel, clients show only the status line, without the body.
    reason: "latchkey is not a proxy: set the base URL of your client to its http:// address",
  },
  HPE_HEADER_OVERFLOW: { status: 431, message: "expected less than 16 KiB of headers and URL" },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    message: "expected the headers within 20 seconds and the whole request within 60",
  },
};

function toBytes({ status, headers, body }: PlainReply, reason: string | undefined): Buffer {
  const lines = Object.entries({ ...headers, Connection: "close" }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  const head = `HTTP/1.1 ${status} ${reason}\r\n${lines.join("")}\r\n`;
  return Buffer.concat([Buffer.from(head, "latin1"), body]);
}

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
