import { spawnSync } from "node:child_process";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { createServer } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { serve } from "../../../src/doors/http/serve.ts";
import { createKey, givenEmulator, listKeys } from "../../_emulator.ts";
import { givenClient, givenServer, halfARequest, sendBytes } from "../../_server.ts";

const LIST =
  "GET /v1/apis.listKeys?apiId=api_one HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer t\r\n";

test("await using closes a server at the end of its block", async () => {
  let url: string;
  {
    await using server = await serve(await givenEmulator());
    url = server.url;
    expect((await fetch(`${url}/_latchkey/health`)).status).toBe(200);
  }
  await expect(fetch(`${url}/_latchkey/health`)).rejects.toThrow(TypeError);
});

test("serve() listens on both loopback addresses with one port", async () => {
  await using served = await givenServer();
  for (const host of ["127.0.0.1", "[::1]", "localhost"]) {
    const response = await fetch(`http://${host}:${served.port}/v1/apis.listKeys?apiId=api_one`, {
      headers: { Authorization: "Bearer t" },
    });
    expect(response.status).toBe(200);
  }
});

test("serve() with a host listens on that host alone", async () => {
  const server = await serve(await givenEmulator(), { host: "127.0.0.1" });
  try {
    expect(server.url).toBe(`http://127.0.0.1:${server.port}`);
    expect((await fetch(`${server.url}/`)).status).toBe(200);
    await expect(fetch(`http://[::1]:${server.port}/`)).rejects.toThrow();
  } finally {
    await server.close();
  }
});

test.each(["127.0.0.1", "::1"])("serve() refuses a port in use on %s and says so", async (host) => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, host, resolve));
  const { port } = other.address() as AddressInfo;
  try {
    const attempt = serve(await givenEmulator(), { port });

    await expect(attempt).rejects.toThrow(`port ${port} on localhost is in use; choose another`);
    const free = await fetch(`http://${host === "::1" ? "127.0.0.1" : "[::1]"}:${port}`).catch(
      () => "refused",
    );
    expect(free).toBe("refused");
  } finally {
    other.close();
  }
});

test("serve() refuses a host that is no address of this machine", async () => {
  const attempt = serve(await givenEmulator(), { host: "192.0.2.1" });

  await expect(attempt).rejects.toThrow("192.0.2.1 is not an address of this machine");
});

test("serve() refuses a promise of an emulator and an invalid port", async () => {
  const emulator = await givenEmulator();

  await expect(serve(givenEmulator() as never)).rejects.toThrow("is an await missing?");
  await expect(serve(emulator, { port: 99_999 })).rejects.toThrow(
    "serve: port: expected an integer from 0 to 65535, got 99999",
  );
});

test("an operation answers HEAD with the headers of GET and no body", async () => {
  await using served = await givenServer();

  const answer = await sendBytes(
    served.port,
    `${LIST.replace("GET", "HEAD")}Connection: close\r\n\r\n`,
  );

  expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(answer).toMatch(/\r\nContent-Length: 21\r\n/);
  expect(answer).toMatch(/\r\n\r\n$/);
});

test("a body of 3 MB is refused with 413, and the connection is kept alive", async () => {
  await using served = await givenServer();
  const body = JSON.stringify({ apiId: "api_one", pad: "x".repeat(3 * 1_048_576) });

  const answers = await Promise.all(
    [1, 2, 3].map(() => createKey(served, body, { origin: served.url })),
  );

  expect(answers.map(({ status }) => status)).toEqual([413, 413, 413]);
  expect(answers[0]?.headers.get("connection")).toBe("keep-alive");
});

test("an endless body is refused with 413, and the connection is closed", async () => {
  await using served = await givenServer();
  const head =
    "POST /v1/keys.createKey HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer t\r\nContent-Type: application/json\r\nContent-Length: 999999999\r\n\r\n";
  const socket = connect(served.port, "127.0.0.1");
  let received = "";
  socket.on("data", (data) => (received += data.toString()));
  const closed = new Promise<void>((resolve) => {
    socket.on("close", () => resolve());
    socket.on("error", () => resolve());
  });
  socket.write(head);
  const chunk = Buffer.alloc(1_048_576, "x");
  for (let sent = 0; sent < 200 && !socket.destroyed; sent += 1) {
    if (!socket.write(chunk)) {
      await Promise.race([new Promise((resolve) => socket.once("drain", resolve)), closed]);
    }
  }
  await closed;

  expect(received).toMatch(/^HTTP\/1\.1 413/);
  expect((await listKeys(served, { apiId: "api_one" }, { origin: served.url })).status).toBe(200);
});

describe("malformed and unusual HTTP", () => {
  test.each([
    ["garbage", "\u0000\u0001\u0002garbage\r\n\r\n", 400],
    ["a TLS hello", Buffer.from("16030100c8010000c40303", "hex"), 400],
    ["no version", "GET /v1\r\n\r\n", 404],
    ["a bad header", "GET / HTTP/1.1\r\nHost x\r\n\r\n", 400],
    [
      "two lengths",
      "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
      400,
    ],
    [
      "length and chunks",
      "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      400,
    ],
    [
      "a broken chunk",
      "POST /v1/keys.createKey HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
      400,
    ],
    [
      "too many headers",
      `GET / HTTP/1.1\r\nHost: x\r\n${"Header: value\r\n".repeat(4_000)}\r\n`,
      431,
    ],
    ["a very long URL", `GET /${"x".repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, 431],
  ])(
    "malformed HTTP (%s) is answered with an error envelope, and the connection is closed",
    async (_, bytes, status) => {
      await using served = await givenServer();

      const answer = await sendBytes(served.port, bytes);

      expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
      const { error, meta } = JSON.parse(answer.slice(answer.indexOf("\r\n\r\n")));
      expect(error).toMatchObject({ detail: expect.any(String), status });
      expect(meta.requestId).toMatch(/^req_/);
    },
  );

  test("a client that reads only after it has sent everything receives the 400", async () => {
    await using served = await givenServer();
    const socket = connect(served.port, "127.0.0.1");
    socket.on("error", () => {}).pause();
    socket.write("garbage\r\n\r\n");
    for (let count = 0; count < 4; count += 1) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      socket.write("still more of it");
    }
    let received = "";
    socket.on("data", (data) => (received += data.toString())).resume();
    await new Promise((resolve) => socket.once("close", resolve));

    expect(received).toMatch(/^HTTP\/1\.1 400 .*"title":"Bad Request"/s);
  });

  test.each([
    ["without a Host", LIST.replace("Host: x\r\n", "")],
    ["of HTTP/1.0", LIST.replace("1.1", "1.0")],
    ["with an absolute URL", LIST.replace("GET /", "GET http://elsewhere.test/")],
    ["with an unknown expectation", `${LIST}Expect: the-unexpected\r\n`],
    ["with an upgrade", `${LIST}Upgrade: websocket\r\n`],
    ["with a body on GET", `${LIST}Content-Length: 2\r\n`],
    ["with stray bytes behind it", LIST],
  ])("a request %s is answered with 200", async (_, head) => {
    await using served = await givenServer();

    const answer = await sendBytes(served.port, `${head}Connection: close\r\n\r\n{}`);

    expect(answer).toMatch(/^HTTP\/1\.1 200 OK/);
  });

  test("CONNECT is refused with advice, after the replies to earlier requests", async () => {
    await using served = await givenServer();
    const connectTo = "CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n";

    const refusal = await sendBytes(served.port, connectTo);
    expect(refusal).toMatch(/^HTTP\/1\.1 400 latchkey is not a proxy: .*"title":"Bad Request"/s);
    expect(refusal).toContain("set the base URL of your client to the http:// address of latchkey");
    expect(await sendBytes(served.port, `${LIST}\r\n${connectTo}`)).toMatch(
      /^HTTP\/1\.1 200 .*HTTP\/1\.1 400 /s,
    );
  });

  test("pipelined requests are answered in order", async () => {
    await using served = await givenServer();
    const two = `${LIST}\r\n${LIST.replace("api_one", "api_none")}Connection: close\r\n\r\n`;

    const answer = await sendBytes(served.port, two);

    expect([...answer.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual([
      "200",
      "404",
    ]);
  });

  test("a pipelined request is not handled before the previous one is answered", async () => {
    await using served = await givenServer();
    const { faults, requests } = served.emulator;
    faults.add({ match: { apiId: "api_vault" }, effect: "hang" });
    const two = `${LIST.replace("api_one", "api_vault")}\r\n${LIST}\r\n`;

    const { ended, socket } = await givenClient(served.port, two);
    await requests.waitFor({ match: { apiId: "api_vault" } });
    await listKeys(served, { apiId: "api_one", limit: "1" }, { origin: served.url });

    expect(requests.count({ operation: "apis.listKeys" })).toBe(2);
    socket.destroy();
    await ended;
    await listKeys(served, { apiId: "api_one", limit: "1" }, { origin: served.url });
    expect(requests.count({ operation: "apis.listKeys" })).toBe(3);
  });

  test("short, long, refused and empty replies to pipelined requests come whole and in order", async () => {
    await using served = await givenServer({ generate: { count: 300 } });
    const page = `${LIST}\r\n`;
    const refused = page.replace("api_one", "api_none");
    const head = page.replace("GET", "HEAD");
    const last = refused.replace(/\r\n$/, "Connection: close\r\n\r\n");

    const answer = await sendBytes(served.port, [page, refused, head, page, head, last].join(""));

    const replies = answer.split(/(?=HTTP\/1\.1 )/).map((reply) => ({
      status: Number(reply.slice(9, 12)),
      announced: Number(/Content-Length: (\d+)/.exec(reply)?.[1]),
      sent: reply.length - reply.indexOf("\r\n\r\n") - 4,
    }));
    expect(replies.map(({ status }) => status)).toEqual([200, 404, 200, 200, 200, 404]);
    expect(replies[0]?.announced).toBeGreaterThan(10_000);
    for (const [index, { announced, sent }] of replies.entries()) {
      expect(sent).toBe(index === 2 || index === 4 ? 0 : announced);
    }
  });

  test("a client that disconnects just before its reply is sent disturbs no other", async () => {
    const events: string[] = [];
    let leave = () => {};
    await using served = await givenServer({
      log(entry) {
        events.push(entry.kind);
        // Runs when the reply is ready and before the turn of the event loop ends.
        process.nextTick(leave);
      },
    });
    const leaving = await givenClient(served.port);
    const staying = await givenClient(served.port);
    events.length = 0;
    const onRequest = (message: unknown) => {
      const { socket } = message as { readonly socket: Socket };
      leave = () => {
        if (socket.remotePort === leaving.socket.localPort) socket.destroy();
      };
    };
    subscribe("http.server.request.start", onRequest);

    leaving.socket.write(`${LIST}\r\n${LIST}\r\n`);
    await leaving.ended;
    staying.socket.end(`${LIST}Connection: close\r\n\r\n`);
    await staying.ended;
    unsubscribe("http.server.request.start", onRequest);

    expect(leaving.received()).toBe("");
    expect(staying.received()).toMatch(/^HTTP\/1\.1 200 OK/);
    expect(events).toEqual(["request", "request"]);
  });

  test("a malformed pipelined request does not suppress the reply to the one before it", async () => {
    await using served = await givenServer();
    const create =
      'POST /v1/keys.createKey HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer t\r\nContent-Type: application/json\r\nContent-Length: 19\r\n\r\n{"apiId":"api_one"}';
    const broken =
      "POST /v1/keys.createKey HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n";
    for (const bytes of [create + broken, `${create}garbage\r\n\r\n`]) {
      const answer = await sendBytes(served.port, bytes);

      expect([...answer.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual([
        "200",
        "400",
      ]);
    }
    expect(served.emulator.keys.count()).toBe(2);
  });

  test("a client that disconnects in the middle of its body creates nothing and logs no bug", async () => {
    const bugs: unknown[] = [];
    await using served = await givenServer({
      log: (entry) => {
        if (entry.kind === "bug") bugs.push(entry);
      },
    });
    const [half] = halfARequest('{"apiId":"api_one"}');
    for (let count = 0; count < 20; count += 1) {
      const { ended, socket } = await givenClient(served.port, half);
      socket.destroy();
      await ended;
    }

    expect((await listKeys(served, { apiId: "api_one" }, { origin: served.url })).body.total).toBe(
      0,
    );
    expect(bugs).toEqual([]);
  });
});

test("300 stalled connections do not block other requests", async () => {
  await using served = await givenServer();
  const stalled = await Promise.all(
    Array.from({ length: 300 }, async (_, index) => {
      const socket = connect(served.port, "127.0.0.1");
      socket.on("error", () => {});
      await new Promise((resolve) => socket.once("connect", resolve));
      if (index % 3 === 1) socket.write("POST /v1/keys.cr");
      if (index % 3 === 2)
        socket.write("POST /v1/keys.createKey HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{");
      return socket;
    }),
  );

  const answers = await Promise.all(
    Array.from({ length: 20 }, () =>
      createKey(served, { apiId: "api_one" }, { origin: served.url }),
    ),
  );

  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
  for (const socket of stalled) socket.destroy();
});

describe("close()", () => {
  const [first, second] = halfARequest('{"apiId":"api_one"}');

  test("close() finishes requests in flight and accepts no new connection", async () => {
    const { server, emulator, port } = await givenServer();
    const client = await givenClient(port, first);

    const closed = server.close({ grace: 20_000 });
    await expect(fetch(server.url)).rejects.toThrow();
    client.socket.write(second);
    await Promise.all([closed, client.ended]);

    expect(client.received()).toMatch(/^HTTP\/1\.1 200 OK/);
    expect(client.received()).toMatch(/\r\nConnection: close\r\n/);
    expect(emulator.keys.count()).toBe(1);
  });

  test("close() finishes a request that has arrived but was not read yet", async () => {
    const { server, port } = await givenServer();
    const client = await givenClient(port);

    // Written synchronously, so that the server cannot read it before it is closed.
    client.socket.write(first);
    const closed = server.close({ grace: 20_000 });
    client.socket.write(second);
    await Promise.all([closed, client.ended]);

    expect(client.received()).toMatch(/^HTTP\/1\.1 200 OK/);
  });

  test("close() sends a reply that is ready, and closes its connection, also one that is kept alive", async () => {
    let close = () => {};
    const { server, port } = await givenServer({
      // Runs when the reply is ready and before the turn of the event loop ends.
      log: () => process.nextTick(close),
    });
    const client = await givenClient(port);
    const closed = new Promise<void>((resolve) => {
      close = () => void server.close({ grace: 3_600_000 }).then(resolve);
    });

    client.socket.write(`${LIST}\r\n`);
    await Promise.all([closed, client.ended]);

    expect(client.received()).toMatch(/^HTTP\/1\.1 200 OK/);
    expect(client.received()).toMatch(/\{"keys":\[\],"total":0\}$/);
  });

  test("close() waits for a stalled request no longer than the grace period", async () => {
    const { server, port } = await givenServer();
    const client = await givenClient(port, first);

    await server.close({ grace: 100 });
    await client.ended;
  });

  test("close() does not wait for connections on which nothing has been sent", async () => {
    const { server, port } = await givenServer();
    const client = await givenClient(port);

    await server.close({ grace: 60_000 });
    await client.ended;
  });

  test("close() waits no longer than the grace period for a refused client that stays connected", async () => {
    const { server, port } = await givenServer();
    const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
    const answered = new Promise((resolve) => socket.once("data", resolve));
    const ended = new Promise((resolve) => socket.once("close", resolve));
    socket.on("error", () => {});
    socket.write("CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n");
    await answered;

    await server.close({ grace: 0 });
    socket.destroy();
    await ended;
  });

  test("close() closes idle keep-alive connections", async () => {
    const { server, url } = await givenServer();
    await listKeys({ fetch }, { apiId: "api_one" }, { origin: url });

    await server.close({ grace: 60_000 });
  });
});

test("a server that was unref'd does not keep its process alive, nor do its connections", async () => {
  const dist = (name: string) => JSON.stringify(pathToFileURL(resolve("dist", name)).href);
  const code = `
    import { createEmulator } from ${dist("index.js")};
    import { serve } from ${dist("node.js")};
    const server = (await serve(await createEmulator())).unref();
    console.log((await fetch(server.url + "/v2/liveness")).status);
  `;

  const ended = spawnSync(process.execPath, ["--input-type=module", "-e", code], {
    timeout: 30_000,
  });

  expect([String(ended.stdout), ended.status]).toEqual(["200\n", 0]);
});

test("a page that calls with credentials gets its origin in place of *", async () => {
  await using served = await givenServer();
  const ask = async (init: RequestInit) => {
    const { headers } = await fetch(`${served.url}/v2/keys.verifyKey`, init);
    const names = ["allow-origin", "allow-credentials"];
    return [...names.map((name) => headers.get(`access-control-${name}`)), headers.get("vary")];
  };
  const Origin = "http://localhost:5173";
  const preflight = { Origin, "Access-Control-Request-Method": "POST" };

  expect(await ask({ method: "POST", headers: { Origin } })).toEqual([Origin, "true", "Origin"]);
  expect(await ask({ method: "OPTIONS", headers: preflight })).toEqual([
    Origin,
    "true",
    "Access-Control-Request-Headers, Origin",
  ]);
  expect(await ask({ method: "POST" })).toEqual(["*", null, null]);
});
