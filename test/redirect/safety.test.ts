import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { runCli } from "../_cli.ts";
import { givenOtherHost } from "./_other-host.ts";

const PROGRAMS = "test/redirect/_programs";

/** Runs a program while `--as` names an origin. */
const redirected = (origin: string, program: string, ...args: string[]) =>
  runCli(["exec", "--as", origin, "--", process.execPath, `${PROGRAMS}/${program}`, ...args]);

/** Stands at the address and the port of the real host, and notes what arrives. */
async function givenTrap() {
  const arrived: string[] = [];
  const server = createServer((socket) => {
    socket.on("data", (bytes) => arrived.push(bytes.toString("latin1")));
    socket.on("error", () => {});
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    port,
    arrived,
    async [Symbol.asyncDispose]() {
      server.close();
      await once(server, "close");
    },
  };
}

const refused = (problem: string) =>
  expect.stringMatching(
    new RegExp(
      `^latchkey/redirect: service.test: ${problem}.*; nothing was sent to the real host$`,
      "i",
    ),
  );
const elsewhere = refused(
  "expected a connection to this host, got a request with its name in `Host` on another connection",
);
const answered = expect.stringMatching(/^answered (?:200|404)$/);

test("a program that tries to reach the real host gets the emulator's answer or an error that says why", async () => {
  await using trap = await givenTrap();
  const { port } = trap;

  const { stdout } = await redirected(
    `https://service.test:${port}`,
    "attacks.js",
    "127.0.0.1",
    String(port),
  );

  expect(trap.arrived).toEqual([]);
  expect(JSON.parse(stdout)).toEqual({
    "an own resolver": answered,
    "the address, with the name for TLS": answered,
    "the address, with the name in Host": answered,
    "the address, with the name in Host, by HTTP": elsewhere,
    "the address, with the name in Host, in bytes": elsewhere,
    "the address, with the name in Host, in the last bytes": elsewhere,
    "the name with a dot at its end": answered,
    "the name in upper case": refused("expected TLS, got other bytes"),
    "plain HTTP on the port of HTTPS": refused("expected TLS, got other bytes"),
    "plain HTTP": refused(`expected a connection to https://service.test:${port}, got port 80`),
    "another port": refused(`expected a connection to https://service.test:${port}, got port 4443`),
    "HTTP/2 alone": refused("expected a client that can speak HTTP/1.1, got one for HTTP/2 only"),
    "HTTP/2 without TLS": refused("expected TLS, got other bytes"),
    "raw bytes": refused("expected HTTP/1.1, got other bytes"),
    "a TLSSocket over a socket": refused("expected tls.connect or https.request, got a TLSSocket"),
    "TLS over a socket to the address": answered,
    "a redirect of another server": answered,
    "a tunnel through a proxy to another port": refused(
      `expected a connection to https://service.test:${port}, got port 1`,
    ),
    "a request to a proxy": refused("expected a direct connection, got a request to a proxy"),
    "an upgrade to WebSocket": answered,
  });
});

test.each(["http", "https"] as const)(
  "another host gets its calls unchanged by %s",
  async (protocol) => {
    await using other = await givenOtherHost(protocol);

    const { stderr, stdout } = await redirected(
      "https://api.unkey.com",
      "other.js",
      other.url,
      other.cert,
    );

    const call = {
      host: new URL(other.url).host,
      method: "POST",
      url: "/v2/keys.createKey?a=1",
      body: "some bytes",
    };
    expect(JSON.parse(stdout)).toEqual([call, call]);
    expect(stderr).toContain("no call to api.unkey.com was redirected");
  },
);
