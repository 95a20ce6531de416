// Clients that behave badly, hundreds at a time. Each function opens some, and resolves to functions
// that close them.
import { once } from "node:events";
import { connect } from "node:net";

const SECOND = 1_000;
/** Bytes that a slow client sends or reads in a second. */
const FEW_BYTES = 4;
/** More bytes than one read of a socket takes. */
const PIPELINED = 2_000;

async function open({ port }, count) {
  const sockets = Array.from({ length: count }, () => connect({ port, host: "127.0.0.1" }));
  for (const socket of sockets) socket.on("error", () => {});
  await Promise.all(sockets.map((socket) => once(socket, "connect")));
  return sockets;
}

async function close(sockets) {
  const open = sockets.filter(({ destroyed }) => !destroyed);
  await Promise.all(open.map((socket) => once(socket.destroy(), "close")));
}

function head({ headers, port }, line, more = {}) {
  const lines = Object.entries({ Host: `127.0.0.1:${port}`, ...headers, ...more });
  return `${line} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`;
}

function listHead(emulator, limit) {
  return head(emulator, `GET /v1/apis.listKeys?apiId=${emulator.apiId}&limit=${limit}`);
}

/** Idle clients keep their connection open. `answers` sends a request on each and counts the replies. */
export async function openIdle(emulator, count) {
  const sockets = await open(emulator, count);
  const answers = async () => {
    const replies = await Promise.all(
      sockets.map(async (socket) => {
        if (!socket.writable) return "";
        socket.write(listHead(emulator, 1));
        const [data] = await Promise.race([once(socket, "data"), once(socket, "close")]);
        return String(data);
      }),
    );
    return replies.filter((reply) => reply.startsWith("HTTP/1.1 200")).length;
  };
  await answers();
  return { answers, close: () => close(sockets) };
}

/** Slow readers request a few pages and read a few bytes in a second. */
export async function openSlowReaders(emulator, count) {
  const sockets = await open(emulator, count);
  for (const socket of sockets) socket.pause().write(listHead(emulator, 100).repeat(4));
  const timer = setInterval(() => {
    for (const socket of sockets) socket.read(FEW_BYTES);
  }, SECOND);
  return {
    close() {
      clearInterval(timer);
      return close(sockets);
    },
  };
}

/** Deaf readers request pages as fast as they can and read no reply. */
export async function openDeafReaders(emulator, count) {
  const sockets = await open(emulator, count);
  for (const socket of sockets) socket.pause().write(listHead(emulator, 100).repeat(PIPELINED));
  return { close: () => close(sockets) };
}

/** Slow writers send a few bytes of a body in a second. `replies` resolves when the emulator hung up. */
export async function openSlowWriters(emulator, count) {
  const sockets = await open(emulator, count);
  const more = { "Content-Type": "application/json", "Content-Length": 100_000 };
  const ends = sockets.map(async (socket) => {
    let reply = "";
    socket.on("data", (data) => (reply += data));
    socket.write(head(emulator, "POST /v1/keys.createKey", more));
    await once(socket, "close");
    return reply;
  });
  const timer = setInterval(() => {
    for (const socket of sockets) if (socket.writable) socket.write(" ".repeat(FEW_BYTES));
  }, SECOND);
  return {
    replies: Promise.all(ends),
    close() {
      clearInterval(timer);
      return close(sockets);
    },
  };
}
