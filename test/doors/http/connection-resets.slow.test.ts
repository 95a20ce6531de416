import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import type { Emulator, FaultInit, Fixture } from "../../../src/index.ts";
import { createKey, listKeys } from "../../_emulator.ts";
import { givenServer, halfARequest } from "../../_server.ts";

const CONNECTIONS = 60;
/** For a request that leaves no connection behind. */
const ONCE = { headers: { Connection: "close" } };
/** How many are open at once: few, because some have megabytes in flight. */
const AT_ONCE = 20;

const HEADERS = "Host: localhost\r\nAuthorization: Bearer t\r\n";
const LIST = `GET /v1/apis.listKeys?apiId=api_one HTTP/1.1\r\n${HEADERS}`;
const LARGE_LIST = LIST.replace("api_one", "api_large");
const CONNECT = "CONNECT elsewhere.test:443 HTTP/1.1\r\nHost: elsewhere.test:443\r\n\r\n";
const UPGRADE = "Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n";
const [HALF_BODY] = halfARequest('{"apiId":"api_one"}');

/** 6 MB in one page, which is more than the buffers of a connection hold. */
const world: Fixture = {
  apis: [{ id: "api_one" }, { id: "api_large" }],
  keys: Array.from({ length: 100 }, () => ({
    apiId: "api_large",
    meta: { text: "x".repeat(60_000) },
  })),
};

interface Case {
  readonly when: string;
  readonly bytes: string;
  /** Whether the client waits for the first bytes of a reply. */
  readonly waits?: true;
  /** Applied to the requests of the case. */
  readonly fault?: FaultInit;
}

const cases: readonly Case[] = [
  { when: "before the first byte", bytes: "" },
  { when: "in the request line", bytes: "GET /v1/apis.li" },
  { when: "in a header", bytes: "GET / HTTP/1.1\r\nHost: x\r\nAuthoriz" },
  { when: "in a body", bytes: HALF_BODY },
  {
    when: "in a chunked body",
    bytes: `POST / HTTP/1.1\r\n${HEADERS}Transfer-Encoding: chunked\r\n\r\n5\r\nab`,
  },
  {
    when: "in a body after 100 Continue",
    bytes: HALF_BODY.replace("\r\n", "\r\nExpect: 100-continue\r\n"),
    waits: true,
  },
  {
    when: "while a body that is too large is read",
    bytes: HALF_BODY.replace(/Length: \d+/, "Length: 3000000") + "x".repeat(1_200_000),
  },
  { when: "while a reply is made", bytes: `${LIST}\r\n`, fault: { latency: 50 } },
  { when: "while a reply is written", bytes: `${LARGE_LIST}\r\n`, waits: true },
  {
    when: "while events are sent",
    bytes: `GET /_latchkey/events HTTP/1.1\r\n${HEADERS}\r\n`,
    waits: true,
  },
  { when: "on a pipelined second request", bytes: `${LIST}\r\nGET /v1/apis.li`, waits: true },
  {
    when: "on a pipelined second request that waits",
    bytes: `${LIST}\r\n${LIST}\r\n${LIST}\r\n`,
    fault: { latency: 50 },
  },
  {
    when: "on a pipelined request behind a large reply",
    bytes: `${LARGE_LIST}\r\n${LIST}\r\n`,
    waits: true,
  },
  { when: "after CONNECT", bytes: CONNECT },
  { when: "after CONNECT was refused", bytes: CONNECT, waits: true },
  { when: "after CONNECT and more", bytes: `${CONNECT}\u0016\u0003\u0001more` },
  { when: "after CONNECT behind a request", bytes: `${LIST}\r\n${CONNECT}`, waits: true },
  { when: "after CONNECT behind a large reply", bytes: `${LARGE_LIST}\r\n${CONNECT}`, waits: true },
  {
    when: "after CONNECT behind a request that hangs",
    bytes: `${LIST}\r\n${CONNECT}`,
    fault: { effect: "hang" },
  },
  { when: "after Upgrade", bytes: LIST + UPGRADE },
  { when: "after Upgrade was answered", bytes: `${LIST}${UPGRADE}frames`, waits: true },
  { when: "after bytes that are not HTTP", bytes: "garbage\r\n\r\n" },
  { when: "after bytes that are not HTTP were refused", bytes: "garbage\r\n\r\nmore", waits: true },
  {
    when: "after headers that are too large",
    bytes: `GET / HTTP/1.1\r\nHost: ${"x".repeat(20_000)}`,
  },
  { when: "before a fault drops the connection", bytes: `${LIST}\r\n`, fault: { effect: "drop" } },
  {
    when: "while a fault keeps the connection without a reply",
    bytes: `${LIST}\r\n`,
    fault: { effect: "hang" },
  },
  {
    when: "while a fault truncates the reply",
    bytes: `${LARGE_LIST}\r\n`,
    fault: { effect: "truncate" },
    waits: true,
  },
];

let uncaught: unknown[];
const onUncaught = (error: unknown) => uncaught.push(error);

beforeEach(() => {
  uncaught = [];
  process.on("uncaughtException", onUncaught).on("unhandledRejection", onUncaught);
});

afterEach(() => {
  process.off("uncaughtException", onUncaught).off("unhandledRejection", onUncaught);
});

test.each(cases)("serve() survives connection resets $when", async ({ fault, ...reset }) => {
  const met = watchServerSockets();
  await using served = await givenServer({ fixtures: [world] });
  const { emulator, port, url } = served;
  const before = stateOf(emulator);
  const listeners = countListeners();
  if (fault) emulator.faults.add(fault);

  await resetAll(port, reset);

  await expect.poll(() => countOpen(met)).toBe(0);
  expect(met.size).toBeGreaterThan(CONNECTIONS / 2);
  emulator.faults.clear();
  // The states are too long for a diff.
  expect(stateOf(emulator) === before).toBe(true);
  expect((await createKey(served, { apiId: "api_one" }, { origin: url })).status).toBe(200);
  expect((await listKeys(served, { apiId: "api_one" }, { origin: url })).body.total).toBe(1);
  expect(countListeners()).toEqual(listeners);
  expect(uncaught).toEqual([]);
});

async function resetAll(port: number, { bytes, waits }: Omit<Case, "when">): Promise<void> {
  for (let begun = 0; begun < CONNECTIONS; begun += AT_ONCE) {
    const sockets = await Promise.all(Array.from({ length: AT_ONCE }, () => open(port)));
    const replied = sockets.map((socket) =>
      Promise.race([once(socket, "data"), once(socket, "close")]),
    );
    for (const socket of sockets) socket.write(bytes);
    if (waits) await Promise.all(replied);
    // Half of them are reset at once, the others when the server has read what they sent.
    for (const [index, socket] of sockets.entries()) if (index % 2 === 0) socket.resetAndDestroy();
    await (await fetch(`http://127.0.0.1:${port}/_latchkey/health`, ONCE)).text();
    for (const socket of sockets) socket.resetAndDestroy();
  }
}

/** A client that reads the first bytes of a reply and no more, so that the rest stays in flight. */
async function open(port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  await once(socket, "connect");
  socket.once("data", () => socket.pause());
  return socket;
}

/** The server's ends of all connections that are made in this process from now on. */
function watchServerSockets(): ReadonlySet<Socket> {
  const met = new Set<Socket>();
  const meet = (message: unknown) => met.add((message as { readonly socket: Socket }).socket);
  subscribe("net.server.socket", meet);
  onTestFinished(() => void unsubscribe("net.server.socket", meet));
  return met;
}

function countOpen(sockets: ReadonlySet<Socket>): number {
  return [...sockets].filter((socket) => !socket.closed).length;
}

/** A snapshot without its id counters, because each reply draws a request id. */
function stateOf(emulator: Emulator): string {
  return JSON.stringify({ ...emulator.snapshot(), snapshot: undefined });
}

function countListeners(): object {
  return Object.fromEntries(
    process.eventNames().map((name) => [name, process.listenerCount(name)]),
  );
}
