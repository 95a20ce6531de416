import { writeFile } from "node:fs/promises";
import { createServer, request as call } from "node:http";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import type { Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { expect, onTestFinished, test, vi } from "vitest";
import { serveGateway } from "../../src/doors/http/serve-gateway.ts";
import { createGateway, type GatewayOptions, type Policy } from "../../src/gateway.ts";
import { givenEmulator, NOW } from "../_emulator.ts";
import { startCli } from "../_cli.ts";
import { givenFolder } from "../cli/_folder.ts";
import { orders } from "./_gateway.ts";
import { givenProgram, listenOn, program } from "./_program.ts";

/** The host that every request of a session names. */
const HOST = "orders.test:8080";

/** The same policies as in the file below. */
const policies: Policy[] = [
  {
    id: "wall",
    match: [{ path: { path: { regex: "(?i)^/ADMIN" } } }],
    firewall: { action: "ACTION_DENY" },
  },
  {
    id: "auth",
    match: [{ path: { path: { prefix: "/orders" } } }],
    keyauth: { keySpaceIds: ["ks_orders"], permissionQuery: "orders.read" },
  },
  {
    id: "per_path",
    ratelimit: { limit: 2, windowMs: 60_000, identifiers: [{ remoteIp: {} }, { path: {} }] },
  },
];
const fileFor = (address: string) => `
[local-dev]
root_key = "\${ROOT_KEY}"
[[local-dev.routes]]
hostname = "orders.test"
upstream = "${address}"
[[local-dev.routes.policies]]
id = "wall"
enabled = true
match = [{ path = { path = { regex = "(?i)^/ADMIN" } } }]
firewall = { action = "ACTION_DENY" }
[[local-dev.routes.policies]]
id = "auth"
enabled = true
match = [{ path = { path = { prefix = "/orders" } } }]
keyauth = { key_space_ids = ["ks_orders"], permission_query = "orders.read" }
[[local-dev.routes.policies]]
id = "per_path"
enabled = true
ratelimit = { limit = 2, window_ms = 60000, identifiers = [{ remote_ip = {} }, { path = {} }] }
`;

const session: readonly (readonly [
  method: string,
  target: string,
  key?: string | undefined,
  body?: string,
])[] = [
  ["GET", "/orders"],
  ["GET", "/orders?a=%20b", "ord_good"],
  ["POST", "/orders", "ord_good", '{"item":"té"}'],
  ["DELETE", "/orders", "ord_good", "why"],
  ["GET", "/orders/1", "ord_acme"],
  ["GET", "/orders/1", "ord_expired"],
  ["GET", "/orders/1", "ord_other"],
  ["PUT", "/public", undefined, "x"],
  ["GET", "/admin/x", "ord_good"],
];

interface Answered {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly text: string;
}
type Send = (...step: (typeof session)[number]) => Promise<Answered>;

const headersOf = (key?: string) => ({
  Accept: "application/json",
  "X-Unkey-Principal": "forged",
  ...(key && { Authorization: `Bearer ${key}` }),
});
/** The headers that are the same in process and over HTTP. */
const withoutHopByHop = (headers: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(
        ([name]) => !/^(?:connection|content-length|date|keep-alive|transfer-encoding)$/.test(name),
      )
      .map(([name, value]) => [name, String(value)]),
  );

const inProcess =
  ({ fetch }: ReturnType<typeof createGateway>): Send =>
  async (method, target, key, body) => {
    const request = new Request(`http://${HOST}${target}`, {
      method,
      headers: headersOf(key),
      ...(body && { body }),
    });
    // `Request` sets a type for a text, which the other clients do not send.
    request.headers.delete("content-type");
    const response = await fetch(request);
    const { headers, status } = response;
    return {
      status,
      headers: withoutHopByHop(Object.fromEntries(headers)),
      text: await response.text(),
    };
  };

const overHttp =
  (url: string): Send =>
  (method, target, key, body) =>
    new Promise((resolve, reject) => {
      const length = body === undefined ? {} : { "Content-Length": Buffer.byteLength(body) };
      const headers = { ...headersOf(key), Host: HOST, ...length };
      const sent = call(`${url}${target}`, { method, headers }, (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (part) => (text += part));
        response.on("end", () => {
          const { headers: given, statusCode: status = 0 } = response;
          resolve({ status, headers: withoutHopByHop(given), text });
        });
      });
      sent.on("error", reject).end(body);
    });

async function play(send: Send): Promise<Answered[]> {
  const answers: Answered[] = [];
  for (const step of session) answers.push(await send(...step));
  return answers;
}

async function givenGateway(options: GatewayOptions) {
  const emulator = await givenEmulator({ fixtures: [orders], log: () => {} });
  return createGateway(emulator, options);
}

test("a session has the same responses by a function, a URL, a server and the command line", async () => {
  const address = await givenProgram();
  const url = `http://${address}`;
  const byFunction = await play(inProcess(await givenGateway({ upstream: program, policies })));
  expect(byFunction.map(({ status }) => status)).toEqual([
    401, 201, 201, 429, 403, 401, 401, 201, 403,
  ]);
  expect(byFunction[1]?.text).toContain('\\"subject\\":\\"key_good\\"');

  expect(await play(inProcess(await givenGateway({ upstream: url, policies })))).toEqual(
    byFunction,
  );

  for (const upstream of [program, url]) {
    const server = await serveGateway(await givenGateway({ upstream, policies }), {});
    onTestFinished(() => server.close());
    expect(await play(overHttp(server.url))).toEqual(byFunction);
  }

  const folder = await givenFolder();
  await writeFile(join(folder, "gateway.toml"), fileFor(address));
  await writeFile(join(folder, "orders.json"), JSON.stringify(orders));
  const flags = ["--gateway", "gateway.toml", "--gateway-port", "0", "-f", "orders.json"];
  const fixed = ["--random-seed", "1", "--now", String(NOW)];
  await using cli = await startCli([...flags, ...fixed], { cwd: folder, env: { ROOT_KEY: "any" } });
  expect(await play(overHttp(cli.ready.gateway ?? ""))).toEqual(byFunction);
});

/** Serves a gateway in front of a program that answers with `respond`. */
async function givenServer(respond: Parameters<typeof createServer>[1]): Promise<string> {
  const address = await listenOn(createServer(respond as never));
  const server = await serveGateway(await givenGateway({ upstream: `http://${address}` }), {});
  onTestFinished(() => server.close());
  return server.url;
}

test("Host, path, headers and an encoded body are passed on unchanged", async () => {
  const packed = gzipSync("packed");
  const url = await givenServer((request, response) => {
    response.writeHead(
      200,
      "Fine",
      [
        ["Content-Encoding", "gzip"],
        ["X-Seen", JSON.stringify([request.url, request.headers.host, request.rawHeaders])],
        ["X-Two", "a"],
        ["X-Two", "b"],
      ].flat(),
    );
    response.end(packed);
  });
  const reply = await new Promise<{ body: Buffer; message: string; headers: string[] }>((done) => {
    const headers = ["Host", "odd.test", "X-MiXed", "1", "X-MiXed", "2"];
    call(`${url}/a/../b//c?d=%zz`, { path: "/a/../b//c?d=%zz", headers }, (response) => {
      const parts: Buffer[] = [];
      response.on("data", (part) => parts.push(part));
      response.on("end", () =>
        done({
          body: Buffer.concat(parts),
          message: response.statusMessage ?? "",
          headers: response.rawHeaders,
        }),
      );
    }).end();
  });

  const header = (name: string) => reply.headers[reply.headers.indexOf(name) + 1] ?? "";
  const [target, host, raw] = JSON.parse(header("x-seen"));
  expect([reply.body.equals(packed), reply.message]).toEqual([true, "Fine"]);
  expect([target, host]).toEqual(["/a/../b//c?d=%zz", "odd.test"]);
  expect(raw.join()).toContain("X-MiXed,1,X-MiXed,2");
  expect([header("content-encoding"), header("x-two")]).toEqual(["gzip", "a, b"]);
});

test("a POST without a body is passed on with its length, and not in chunks", async () => {
  const url = await givenServer((request, response) => {
    const { "content-length": length, "transfer-encoding": encoding } = request.headers;
    response.end(JSON.stringify([length, encoding]));
  });
  const { port } = new URL(url);
  const socket = connect(Number(port), "127.0.0.1");
  socket.write("POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");

  expect(await text(socket)).toMatch(/\["0",null\]$/);
});

test("the response of a program that does not read the body reaches the client", async () => {
  const url = await givenServer((_, response) => response.writeHead(413).end());

  for (let sent = 0; sent < 3; sent += 1) {
    const reply = await fetch(url, { method: "POST", body: new Uint8Array(10_000_000) });
    expect(reply.status).toBe(413);
  }
});

test("a server keeps idle connections as long as the one of the emulator", async () => {
  const url = await givenServer((_, response) => response.end());

  expect((await fetch(url)).headers.get("Keep-Alive")).toBe("timeout=65");
});

test.each([
  ["GET", "//orders//1", "\r\n"],
  ["GET", "/", "Content-Length: 0\r\n\r\n"],
  ["HEAD", "/", "Content-Length: 2\r\n\r\nhi"],
])(
  "a program that is a function gets %s %s over HTTP, followed by %j",
  async (method, path, rest) => {
    const seen: string[] = [];
    const upstream = (request: Request) => {
      seen.push(request.url);
      return new Response();
    };
    const server = await serveGateway(await givenGateway({ upstream }), {});
    onTestFinished(() => server.close());
    const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
    socket.write(`${method} ${path} HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n${rest}`);

    expect(await text(socket)).toMatch(/^HTTP\/1.1 200 /);
    expect(seen).toEqual([`http://a.test${path}`]);
  },
);

test("the call of the program is aborted if the client disconnects before or during a response", async () => {
  const begun = vi.fn();
  const ended = vi.fn();
  const url = await givenServer((request, response) => {
    response.on("close", ended);
    begun();
    if (request.url === "/within") response.write("begun");
  });

  for (const path of ["/before", "/within"]) {
    const sent = call(
      `${url}${path}`,
      (response) => void response.once("data", () => sent.destroy()),
    );
    sent.on("error", () => {}).end();
    await vi.waitFor(() => expect(begun).toHaveBeenCalledOnce());
    if (path === "/before") sent.destroy();
    await vi.waitFor(() => expect(ended).toHaveBeenCalledOnce());
    begun.mockClear();
    ended.mockClear();
  }
});

test("the call of the program is aborted if the client disconnects while it sends a body", async () => {
  const begun = vi.fn();
  const ended = vi.fn();
  const url = await givenServer((request) => void request.on("error", ended).on("data", begun));
  const sent = call(url, { method: "POST" });
  sent.on("error", () => {}).write("begun");

  await vi.waitFor(() => expect(begun).toHaveBeenCalled());
  sent.destroy();
  await vi.waitFor(() => expect(ended).toHaveBeenCalled());
});

test("a response that the program breaks off is an error for the client", async () => {
  const url = await givenServer((_, response) => {
    response.writeHead(200, { "Content-Length": "100" });
    response.write("begun", () => response.destroy());
  });

  await expect(fetch(url).then((reply) => reply.text())).rejects.toThrow();
});

test.each([
  ["that resets the connection", 502, (socket: Socket) => socket.resetAndDestroy()],
  ["that does not speak HTTP", 502, (socket: Socket) => socket.end("hello\r\n\r\n")],
] as const)("a program %s is answered %i", async (_, status, respond) => {
  const server = createServer();
  server.on("connection", respond);
  const address = await listenOn(server);
  const gateway = await givenGateway({ upstream: `http://${address}` });

  expect((await gateway.fetch(new Request("http://localhost/"))).status).toBe(status);
});

test("a program that cannot be reached is answered 503, with its address", async () => {
  for (const [upstream, name] of [
    ["http://127.0.0.1:1", "127.0.0.1:1"],
    ["http://no-such-host.invalid", "no-such-host.invalid"],
  ] as const) {
    const reply = await (await givenGateway({ upstream })).fetch(new Request("http://localhost/"));

    expect(reply.status).toBe(503);
    expect(reply.headers.get("X-Latchkey-Hint")).toContain(name);
  }
});

test("a WebSocket is answered 501 over HTTP", async () => {
  const url = await givenServer((_, response) => response.end());
  const { port } = new URL(url);
  const socket = connect(Number(port), "127.0.0.1");
  socket.write("GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");

  const [first] = await new Promise<Buffer[]>((done) =>
    socket.once("data", (data) => done([data])),
  );
  expect(first?.toString()).toMatch(/^HTTP\/1\.1 501 /);
  socket.destroy();
});

test("server-sent events arrive one by one", async () => {
  let send: (text: string) => void = () => {};
  const url = await givenServer((_, response) => {
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    send = (text) => void response.write(text);
    send("one");
  });

  const reader = (await fetch(url)).body?.getReader();
  const next = async () => new TextDecoder().decode((await reader?.read())?.value);
  expect(await next()).toBe("one");
  send("two");
  expect(await next()).toBe("two");
  await reader?.cancel();
});

/** Writes blocks of a megabyte as fast as the other side reads. Returns a function that counts them. */
function writeTo(stream: Writable): () => number {
  const block = Buffer.alloc(1_000_000);
  let written = 0;
  const write = () => {
    do written += 1;
    while (written < 100 && stream.write(block));
    if (written < 100) stream.once("drain", write);
  };
  stream.on("error", () => {});
  write();
  return () => written;
}

test("backpressure holds back a body while the program or the client does not read it", async () => {
  let ofProgram = () => 0;
  const url = await givenServer((request, response) => {
    if (request.method === "GET") ofProgram = writeTo(response);
  });
  const download = call(url);
  download
    .on("error", () => {})
    .on("response", (response) => response.pause())
    .end();
  const upload = call(url, { method: "POST" });
  const ofClient = writeTo(upload);

  await vi.waitFor(() => expect(ofProgram()).toBeGreaterThan(0));
  await new Promise((done) => setTimeout(done, 500));
  expect([ofProgram() < 50, ofClient() < 50]).toEqual([true, true]);
  for (const each of [download, upload]) each.destroy();
});
