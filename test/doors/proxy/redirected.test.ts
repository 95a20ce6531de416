import { once } from "node:events";
import { expect, test } from "vitest";
import { sendBytes } from "../../_server.ts";
import { exchange, get, givenProxy, openTunnel, secureTunnel, SERVICE } from "./_proxy.ts";

const HOST = "api.unkey.com:443";

test("the proxy answers a redirected host with a certificate that its authority signed", async () => {
  await using proxy = await givenProxy();

  const socket = await secureTunnel(proxy, HOST);
  const reply = await exchange(socket, get("/v2/liveness"));

  expect(reply).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(reply).toContain('"message":');
});

test("a client that does not trust the authority gets no answer", async () => {
  await using proxy = await givenProxy();

  await expect(secureTunnel(proxy, HOST, { ca: [] })).rejects.toThrow(
    "unable to verify the first certificate",
  );
});

test.each(["localhost:4010", "other.test", "api.unkey.com:80"])(
  "a call for a redirected host with the header Host: %s reaches operations only",
  async (host) => {
    await using proxy = await givenProxy();

    const heads = ["/v2/liveness", "/_latchkey/ready", "/", "/nowhere"].map(async (path) => {
      const socket = await secureTunnel(proxy, HOST);
      return (await exchange(socket, get(path, `Host: ${host}\r\n`))).slice(0, 12);
    });

    expect(await Promise.all(heads)).toEqual([
      "HTTP/1.1 200",
      "HTTP/1.1 404",
      "HTTP/1.1 404",
      "HTTP/1.1 404",
    ]);
  },
);

test("another name in the handshake gets the same certificate, which clients refuse", async () => {
  await using proxy = await givenProxy();

  await expect(secureTunnel(proxy, HOST, { servername: "other.test" })).rejects.toThrow(
    "Hostname/IP does not match certificate's altnames",
  );
});

test.each(["api.unkey.com:80", "API.unkey.com.:8443", "api.unkey.com:0443"])(
  "a tunnel to %s is refused unless an origin has that port",
  async (target) => {
    await using proxy = await givenProxy();

    const { head } = await openTunnel(proxy, target);

    const port = Number(target.split(":").at(-1));
    const status = port === 443 ? "200 Connection established" : "403 latchkey/redirect: api.";
    expect(head.toLowerCase()).toContain(`http/1.1 ${status}`.toLowerCase());
    if (port !== 443) expect(proxy.warnings).toEqual([expect.stringContaining(`got port ${port}`)]);
  },
);

test("a tunnel to an origin without TLS takes plain HTTP", async () => {
  await using proxy = await givenProxy({ origins: ["http://api.test:8080"] });

  const { head, socket } = await openTunnel(proxy, "api.test:8080");
  const reply = await exchange(socket, get("/v2/liveness"));

  expect([head, reply.slice(0, 15)]).toEqual([
    "HTTP/1.1 200 Connection established\r\n\r\n",
    "HTTP/1.1 200 OK",
  ]);
});

test("requests that name a redirected origin in a URL are answered, and other ports are refused", async () => {
  await using proxy = await givenProxy({ origins: [SERVICE, "http://api.test"] });
  const send = (url: string) =>
    sendBytes(proxy.port, get(url, `Host: ${new URL(url).host}\r\n${proxy.allowed}`));

  expect(await send("http://api.test/v2/liveness")).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(await send("http://API.test?none")).toMatch(/^HTTP\/1\.1 404 /);
  const refusal = await send("http://api.unkey.com/v2/liveness");
  expect(refusal).toMatch(/^HTTP\/1\.1 403 /);
  expect(refusal).toContain("expected a connection to https://api.unkey.com, got port 80");
});

test("a request with the host of one and the URL of another is refused", async () => {
  await using proxy = await givenProxy();

  const bytes = get("http://other.test/", `Host: api.unkey.com\r\n${proxy.allowed}`);
  const reply = await sendBytes(proxy.port, bytes);

  expect(reply).toMatch(/^HTTP\/1\.1 403 /);
  expect(reply).toContain("expected the same host in the URL and in Host, got other.test");
});

test.each(["", "Proxy-Authorization: Basic bGF0Y2hrZXk6\r\n", "Proxy-Authorization: Bearer x\r\n"])(
  "without the right credentials the proxy answers 407: %j",
  async (allowed) => {
    await using proxy = await givenProxy();

    const { head } = await openTunnel({ port: proxy.port, allowed }, HOST);
    const reply = await sendBytes(
      proxy.port,
      get("http://other.test/", `Host: other.test\r\n${allowed}`),
    );

    for (const text of [head, reply]) {
      expect(text).toMatch(/^HTTP\/1\.1 407 /);
      expect(text).toContain('Proxy-Authenticate: Basic realm="latchkey"\r\n');
    }
  },
);

test("a client for HTTP/2 alone fails in the handshake", async () => {
  await using proxy = await givenProxy();

  await expect(secureTunnel(proxy, HOST, { ALPNProtocols: ["h2"] })).rejects.toThrow();
  await expect
    .poll(() => proxy.warnings)
    .toEqual([expect.stringContaining("a program broke off TLS with a redirected host (ERR_SSL_")]);
});

test.each(["end", "destroy", "resetAndDestroy"] as const)(
  "a timeout in the handshake is not reported as missing trust: %s",
  async (stop) => {
    await using proxy = await givenProxy();
    const { socket } = await openTunnel(proxy, HOST);
    // A handshake begins so.
    await new Promise((resolve) => socket.write("\u0016\u0003\u0001", resolve));
    socket[stop]();

    expect((await secureTunnel(proxy, HOST)).authorized).toBe(true);
    expect(proxy.warnings).toEqual([]);
  },
);

test.each([
  "GET / HTTP/1.1\r\n\r\n",
  "\u0000\u0001\u0002 raw bytes",
  "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
])("other bytes than TLS in a tunnel end it: %j", async (bytes) => {
  await using proxy = await givenProxy();
  const { socket } = await openTunnel(proxy, HOST);

  const reply = await exchange(socket, bytes);

  // Perhaps an alert of TLS.
  expect(reply).not.toContain("HTTP");
});

test("WebSocket and smuggled requests within TLS are answered by the emulator", async () => {
  await using proxy = await givenProxy();
  const upgrade = get("/v2/x", "Host: api.unkey.com\r\nUpgrade: websocket\r\n");
  const smuggled =
    "POST /v2/x HTTP/1.1\r\nHost: api.unkey.com\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET / HTTP/1.1\r\n\r\n";

  expect(await exchange(await secureTunnel(proxy, HOST), upgrade)).toMatch(/^HTTP\/1\.1 404 /);
  expect(await exchange(await secureTunnel(proxy, HOST), smuggled)).toMatch(/^HTTP\/1\.1 400 /);
});

test("the proxy closes at once, whatever its connections wait for", async () => {
  const proxy = await givenProxy();
  const sockets = [
    (await openTunnel(proxy, HOST)).socket,
    await secureTunnel(proxy, HOST),
    (await openTunnel({ port: proxy.port, allowed: "" }, HOST)).socket,
  ];
  const halfOpen = await secureTunnel(proxy, HOST);
  halfOpen.write("POST /v2/keys.verifyKey HTTP/1.1\r\nContent-Length: 9\r\n\r\n");
  const closed = [...sockets, halfOpen].map(async (socket) => {
    socket.on("error", () => {}).resume();
    if (!socket.closed) await once(socket, "close");
  });

  await proxy.close({ grace: 0 });

  await Promise.all(closed);
});
