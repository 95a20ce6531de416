// Sends requests over keep-alive connections as fast as they are answered, and prints the rate. It runs
// in a separate process, so that it does not share a thread with the server. A job comes as JSON on
// stdin:
//   { port, connections, seconds, count, warmUp, requests: [{ method, path, headers, body }] }
// It lasts for `seconds`, or until `count` requests have been answered, after `warmUp` seconds that do
// not count. Each connection has one request in flight, and sends the next of the list when it is
// answered. The client parses only the status and the length of a reply, because it must be faster
// than the server.
import { connect } from "node:net";
import { json } from "node:stream/consumers";

const HOST = "127.0.0.1";

/** Parses a reply only as far as is needed to find its end. */
class Reply {
  status = "";
  length = 0;
  /** Undefined until the head has been read. */
  #missing;
  #head = "";

  /** Takes data that has arrived, and returns whether the reply is complete. */
  read(data) {
    if (this.#missing === undefined) return this.#readHead(data);
    this.#missing -= data.length;
    return this.#end(this.#missing <= 0);
  }

  #readHead(data) {
    const end = data.indexOf("\r\n\r\n");
    if (end === -1) {
      this.#head += data.latin1Slice();
      return false;
    }
    const head = this.#head + data.latin1Slice(0, end);
    this.#head = "";
    this.status = head.slice(9, 12);
    const rest = data.subarray(end + 4);
    this.length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)[1]);
    this.#missing = this.length - rest.length;
    return this.#end(this.#missing <= 0);
  }

  #end(isComplete) {
    if (isComplete) this.#missing = undefined;
    return isComplete;
  }
}

const {
  connections,
  count = Number.POSITIVE_INFINITY,
  port,
  seconds,
  warmUp = 0,
  ...job
} = await json(process.stdin);
const requests = job.requests.map(toBytes);
/** Latency of each answer that counts (ms). */
const latencies = [];
const errors = new Map();
let next = 0;
let answered = 0;
/** All answers, including those of the warm-up. */
let total = 0;
let bytes = 0;
let isCounting = false;
let isOver = false;
let start;
/** Turns of the event loop, and the turns in which data had arrived. */
let turns = 0;
let busyTurns = 0;
let hasArrived = false;

for (let index = 0; index < connections; index += 1) open();
setTimeout(begin, warmUp * 1_000);
spin();

/**
 * Keeps the client's event loop busy, so that its processor never sleeps. Waking a sleeping processor
 * costs the process that writes to the socket, on a virtual machine as much as the reply itself. A slow
 * server would have to do that more often than a fast one.
 */
function spin() {
  if (isOver) return;
  turns += 1;
  if (hasArrived) busyTurns += 1;
  hasArrived = false;
  setImmediate(spin);
}

function begin() {
  isCounting = true;
  start = performance.now();
  turns = 0;
  busyTurns = 0;
  if (seconds !== undefined) setTimeout(end, seconds * 1_000);
}

function end() {
  isOver = true;
  const elapsed = (performance.now() - start) / 1_000;
  latencies.sort((a, b) => a - b);
  const at = (share) =>
    latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))];
  const result = {
    answered,
    total,
    rate: answered / elapsed,
    bytes,
    p50: at(0.5),
    p99: at(0.99),
    max: latencies.at(-1),
    errors: Object.fromEntries(errors),
    // Near 1, replies were always waiting: the client was slower than the server, so the rate does not
    // describe the server.
    load: busyTurns / turns,
  };
  process.stdout.write(JSON.stringify(result), () => process.exit());
}

function open() {
  const reply = new Reply();
  let sent = 0;
  const send = () => {
    sent = performance.now();
    socket.write(requests[next % requests.length]);
    next += 1;
  };
  const socket = connect({
    host: HOST,
    port,
    noDelay: true,
    onread: {
      buffer: Buffer.allocUnsafe(65_536),
      callback(length, buffer) {
        hasArrived = true;
        if (!reply.read(buffer.subarray(0, length))) return true;
        total += 1;
        if (isCounting && !isOver) {
          answered += 1;
          bytes += reply.length;
          latencies.push(performance.now() - sent);
          if (reply.status !== "200" && reply.status !== "201") fail(`status ${reply.status}`);
          if (answered === count) end();
        }
        if (!isOver) send();
        return true;
      },
    },
  });
  socket.on("connect", send);
  socket.on("error", ({ code }) => fail(code));
  socket.on("close", () => {
    if (isOver) return;
    fail("closed");
    open();
  });
}

function fail(reason) {
  errors.set(reason, (errors.get(reason) ?? 0) + 1);
}

function toBytes({ method = "GET", path, headers = {}, body }) {
  const lines = { Host: `${HOST}:${port}`, ...headers };
  if (body !== undefined) lines["Content-Length"] = Buffer.byteLength(body);
  const head = Object.entries(lines).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${head.join("")}\r\n${body ?? ""}`);
}
