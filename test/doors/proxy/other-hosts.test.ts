import { connect, createServer, type AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { sendBytes } from "../../_server.ts";
import { givenEarlierProxy, givenOtherHost } from "./_other-host.ts";
import { exchange, get, givenProxy, openTunnel, secureTunnel } from "./_proxy.ts";

test("a call over HTTPS to another host reaches it unchanged", async () => {
  await using other = await givenOtherHost("https");
  await using proxy = await givenProxy();
  const target = `localhost:${other.port}`;

  const socket = await secureTunnel(proxy, target, { ca: other.authority });
  const reply = await exchange(socket, get("/a/../b?c#d", "Host: localhost\r\nX-One: 1\r\n"));

  expect(reply).toMatch(
    /^HTTP\/1\.1 418 Short and stout\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\n/,
  );
  expect(reply).toContain(
    '"url":"/a/../b?c#d","rawHeaders":["Host","localhost","X-One","1","Connection","close"]',
  );
});

test("a call over HTTP to another host reaches it unchanged, without what is for the proxy", async () => {
  await using other = await givenOtherHost("http");
  await using proxy = await givenProxy();
  const host = `localhost:${other.port}`;
  const headers = `Host: ${host}\r\nX-One: 1\r\nx-one: 2\r\nX-Hop: 3\r\n${proxy.allowed}`;
  const body =
    "Transfer-Encoding: chunked\r\nConnection: close, x-hop\r\n\r\n5\r\nhello\r\n0\r\n\r\n";

  const reply = await sendBytes(
    proxy.port,
    `GET http://${host}/a/../b?c HTTP/1.1\r\n${headers}${body}`,
  );

  expect(reply).toMatch(
    /^HTTP\/1\.1 418 Short and stout\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\n/,
  );
  const [sent = ""] = /\{.*\}/.exec(reply) ?? [];
  expect(JSON.parse(sent)).toEqual({
    method: "GET",
    url: "/a/../b?c",
    rawHeaders: ["Host", host, "X-One", "1", "x-one", "2"].concat(
      ["Transfer-Encoding", "chunked"],
      ["Connection", "close"],
    ),
    body: "hello",
  });
});

test("calls to other hosts go through a proxy that was set before, with its credentials", async () => {
  await using secure = await givenOtherHost("https");
  await using plain = await givenOtherHost("http");
  await using forSecure = await givenEarlierProxy(secure.port);
  await using forPlain = await givenEarlierProxy(plain.port);
  await using proxy = await givenProxy({
    env: { https_proxy: forSecure.url, HTTP_PROXY: forPlain.url },
  });

  const socket = await secureTunnel(proxy, "other.test:443", { ca: secure.authority });
  const secureReply = await exchange(socket, get("/secure", "Host: other.test\r\n"));
  const bytes = get("http://other.test/plain", `Host: other.test\r\n${proxy.allowed}`);
  const plainReply = await sendBytes(proxy.port, bytes);

  expect(secureReply).toContain('"url":"/secure"');
  expect(plainReply).toContain('"url":"/by/the/proxy"');
  expect(forSecure.asked).toEqual(["CONNECT other.test:443 ann:p@ss"]);
  expect(forPlain.asked).toEqual(["GET http://other.test/plain ann:p@ss"]);
});

test("a redirected host is answered although another proxy was set before", async () => {
  await using other = await givenOtherHost("https");
  await using earlier = await givenEarlierProxy(other.port);
  await using proxy = await givenProxy({ env: { ALL_PROXY: earlier.url } });

  const socket = await secureTunnel(proxy, "api.unkey.com:443");

  expect(await exchange(socket, get("/v2/liveness"))).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(earlier.asked).toEqual([]);
});

test("hosts of NO_PROXY are called directly, not through the proxy that was set before", async () => {
  await using other = await givenOtherHost("https");
  await using earlier = await givenEarlierProxy(1);
  await using proxy = await givenProxy({
    env: { HTTPS_PROXY: earlier.url, NO_PROXY: "localhost" },
  });

  const target = `localhost:${other.port}`;
  const socket = await secureTunnel(proxy, target, { ca: other.authority });

  expect(await exchange(socket, get("/"))).toContain('"url":"/"');
  expect(earlier.asked).toEqual([]);
});

test("a refusal by the proxy that was set before is passed on in its words", async () => {
  await using earlier = await givenEarlierProxy(1);
  await using proxy = await givenProxy({ env: { HTTPS_PROXY: earlier.url } });

  const { head } = await openTunnel(proxy, "refused.test:443");

  expect(head).toMatch(/^HTTP\/1\.1 451 Not from here\r\n/);
});

test("the proxy says which host it cannot reach", async () => {
  await using proxy = await givenProxy();

  const { head } = await openTunnel(proxy, "localhost:1");
  const bytes = get("http://localhost:1/", `Host: localhost:1\r\n${proxy.allowed}`);
  const reply = await sendBytes(proxy.port, bytes);

  expect(head).toMatch(/^HTTP\/1\.1 502 localhost:1: .*ECONNREFUSED/);
  expect(reply).toMatch(/^HTTP\/1\.1 502 Bad Gateway\r\n/);
  expect(reply).toMatch(/latchkey: localhost:1: .*ECONNREFUSED/);
});

const HERE = "http://localhost:1/";
test.each([
  ["no whole URL", "GET / HTTP/1.1", 400],
  ["a tunnel without a port", "CONNECT other.test HTTP/1.1", 400],
  ["a port above 65535", "CONNECT other.test:65536 HTTP/1.1", 400],
  ["two lengths", `POST ${HERE} HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked`, 400],
  ["large headers", `GET ${HERE} HTTP/1.1\r\nX: ${"x".repeat(20_000)}`, 431],
  ["a tab in a URL", `GET ${HERE}a\tb HTTP/1.1`, 400],
  ["a host that can be read in two ways", "GET http://x\\@api.unkey.com/ HTTP/1.1", 400],
  ["a host with an escape", "GET http://api%2eunkey.com/ HTTP/1.1", 400],
  ["a host that resolvers read otherwise", "CONNECT api\u00ad.unkey.com:443 HTTP/1.1", 400],
  ["a second Host", `GET ${HERE} HTTP/1.1\r\nHost: api.unkey.com`, 403],
  ["other bytes", "\u0016\u0003\u0001 hello", 400],
])("the proxy refuses %s", async (_, head, status) => {
  await using proxy = await givenProxy();

  const reply = await sendBytes(
    proxy.port,
    Buffer.from(`${head}\r\nHost: x\r\n${proxy.allowed}Connection: close\r\n\r\n`, "latin1"),
  );

  expect(reply).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
});

test.each([
  ["u@api.unkey.com", 400],
  ["api.unkey.com:443:80", 400],
  ["api.unkey.com/", 400],
  ["api%2eunkey.com", 400],
  ["api.unkey.com, other.test", 400],
  ["api\u00ad.unkey.com", 400],
  ["", 400],
  ["API.unkey.com.:80", 403],
])("the proxy passes no request on with Host: %s", async (host, status) => {
  await using proxy = await givenProxy();

  const bytes = get("http://localhost:1/", `Host: ${host}\r\n${proxy.allowed}`);

  expect(await sendBytes(proxy.port, Buffer.from(bytes, "latin1"))).toContain(
    `HTTP/1.1 ${status} `,
  );
});

test("the proxy survives clients that break off", async () => {
  await using other = await givenOtherHost("http");
  await using proxy = await givenProxy();
  const host = `localhost:${other.port}`;
  const starts = [
    `CONNECT ${host} HTTP/1.1\r\nHost: x\r\n${proxy.allowed}\r\nGET `,
    `CONNECT api.unkey.com:443 HTTP/1.1\r\nHost: x\r\n${proxy.allowed}\r\n\u0016\u0003`,
    `POST http://${host}/ HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 9\r\n${proxy.allowed}\r\nhal`,
    "GET http://",
  ];
  for (const start of starts.concat(starts)) {
    const socket = connect(proxy.port, "127.0.0.1");
    await new Promise((resolve) => socket.write(start, resolve));
    socket.resetAndDestroy();
  }

  const bytes = get(`http://${host}/`, `Host: ${host}\r\n${proxy.allowed}`);

  expect(await sendBytes(proxy.port, bytes)).toMatch(/^HTTP\/1\.1 418 /);
});

test.each([
  ["a status below 100", "HTTP/1.1 099 X\r\n\r\n", "502 Bad Gateway"],
  ["a control character in the reason", "HTTP/1.1 200 a\u0001b\r\n\r\n", "200 a b"],
  ["101 with an upgrade", "HTTP/1.1 101 X\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n", "502 Bad"],
  ["101 without one", "HTTP/1.1 101 X\r\n\r\n", "502 Bad Gateway"],
  ["100 alone", "HTTP/1.1 100 X\r\n\r\n", "502 Bad Gateway"],
  ["a control character in a header", "HTTP/1.1 200 X\r\nA: \u0001\r\n\r\n", "502 Bad Gateway"],
  ["nothing", "", "502 Bad Gateway"],
  ["the status 999", "HTTP/1.1 999 X\r\nContent-Length: 0\r\n\r\n", "999 X"],
])(
  "the proxy lives, and its client gets an answer, when a host sends %s",
  async (_, bytes, status) => {
    const other = createServer((socket) =>
      socket.on("error", () => {}).once("data", () => socket.end(bytes, "latin1")),
    );
    await new Promise<void>((resolve) => other.listen(0, resolve));
    const { port } = other.address() as AddressInfo;
    await using earlier = await givenProxy({ env: {} });
    await using proxy = await givenProxy({ env: { HTTPS_PROXY: `http://localhost:${port}` } });
    const request = get(`http://localhost:${port}/`, `Host: localhost\r\n${earlier.allowed}`);

    const reply = await sendBytes(earlier.port, request);
    const { head } = await openTunnel(proxy, "other.test:443");

    expect(reply).toContain(`HTTP/1.1 ${status}`);
    expect(head).toMatch(/^HTTP\/1\.1 (?:[3-9]\d\d|200 Connection established)/);
    expect(await sendBytes(earlier.port, request)).toContain(`HTTP/1.1 ${status}`);
    other.close();
  },
);

const BODY = "Content-Length: 5\r\n\r\nhello";
test.each([
  ["a 204 with a body", "GET", `HTTP/1.1 204 No Content\r\nX-One: 1\r\n${BODY}`, "X-One: 1\r\n"],
  [
    "a 204 with a body in chunks",
    "GET",
    "HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\nX-One: 1\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    "X-One: 1\r\n",
  ],
  ["a 304 with a body", "GET", `HTTP/1.1 304 Not Modified\r\n${BODY}`, "Content-Length: 5\r\n"],
  ["a reply to HEAD with a body", "HEAD", `HTTP/1.1 200 OK\r\n${BODY}`, "Content-Length: 5\r\n"],
])("the proxy passes %s on without the body", async (_, method, bytes, headers) => {
  const other = createServer((socket) =>
    socket.on("error", () => {}).once("data", () => socket.end(bytes, "latin1")),
  );
  await new Promise<void>((resolve) => other.listen(0, resolve));
  const { port } = other.address() as AddressInfo;
  await using proxy = await givenProxy();
  const request = get(`http://localhost:${port}/`, `Host: localhost\r\n${proxy.allowed}`);

  const reply = await sendBytes(proxy.port, request.replace("GET", method));

  const [status = ""] = bytes.split("\r\n");
  expect(reply).toBe(`${status}\r\n${headers}Connection: close\r\n\r\n`);
  other.close();
});
