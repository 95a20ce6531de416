import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { runCli } from "../../_cli.ts";
import { codePoint } from "../../_code-point.ts";
import { run } from "../../_run.ts";
import { givenFolder } from "../../cli/_folder.ts";
import { givenOtherHost } from "./_other-host.ts";
import { givenRealHost, givenServer } from "./_real-host.ts";

const PROGRAMS = "test/doors/redirect/_programs";

/** Runs a program while `--as` names an origin. */
const redirected = (origin: string, args: readonly string[], env: Record<string, string> = {}) =>
  runCli(["exec", "--as", origin, "--log", "silent", "--", process.execPath, ...args], { env });

const refused = (problem: string) =>
  `latchkey/redirect: service.test: ${problem}; nothing was sent to the real host`;
const HTTP2 = refused("expected a client that can speak HTTP/1.1, got one for HTTP/2 only");
const MADE_BY_HAND = refused(
  "expected tls.connect or https.request, got a TLSSocket that was made by hand",
);
test("a program that names the real host gets latchkey's answer or an error that says why", async () => {
  await using real = await givenRealHost();
  const { port } = real;
  const otherPort = (got: number) =>
    refused(
      `expected a connection to https://service.test:${port}, got port ${got}; name its origin with --as (LATCHKEY_AS) too`,
    );

  const { stdout } = await redirected(
    `https://service.test:${port}`,
    [`${PROGRAMS}/attempts.cjs`],
    { REAL_HOST: `service.test ${port} all` },
  );

  expect(real.arrived()).toBe("");
  const outcomes = JSON.parse(stdout);
  const refusals = Object.entries(outcomes).filter(([, outcome]) => outcome !== "answered 404");
  expect(Object.keys(outcomes)).toHaveLength(34);
  expect(Object.fromEntries(refusals)).toEqual({
    http2: HTTP2,
    "plain HTTP": otherPort(80),
    "another port": otherPort(4443),
    "another port, by http": otherPort(4443),
    "HTTP/2 to the address, with the name for TLS": HTTP2,
    "HTTP/2 without TLS": HTTP2,
    "HTTP/2 without TLS to another port": otherPort(4443),
    "HTTP/2 over a connection of its own": HTTP2,
    "a TLSSocket over a socket": MADE_BY_HAND,
    "a TLSSocket that connects": MADE_BY_HAND,
    "a TLSSocket with the name": MADE_BY_HAND,
  });
});

test("without --as the same program reaches the real host", async () => {
  await using real = await givenRealHost();
  const env = { REAL_HOST: `service.test ${real.port}` };

  await run(process.execPath, [`${PROGRAMS}/attempts.cjs`], process.cwd(), env);

  expect(real.arrived()).toContain("GET /v2/secret ");
});

test("an IP address that is redirected is redirected in each of its spellings", async () => {
  const spellings = ["10.1.2.3", "0xa010203", "0xa.1.515", "::ffff:10.1.2.3", "::FFFF:a01:203"];
  const program = `
    for (const address of ${JSON.stringify(spellings)}) {
      const socket = require("node:net").connect(80, address);
      socket.on("data", (bytes) => console.log(String(bytes).split(" ")[1]));
      socket.end("GET /v2/liveness HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n");
    }
  `;

  const { stdout } = await redirected("http://10.1.2.3", ["-e", program]);

  expect(stdout).toBe("200\n".repeat(spellings.length));
});

test("bytes to other hosts pass unchanged, whatever they look like", async () => {
  await using other = await givenServer((socket) => socket.resume());
  const looks = [
    "GET https://api.unkey.com/v2/liveness 200\n",
    "GET / HTTP/1.1\r\nHost: api.unkey.com\r\n\r\n",
    "CONNECT api.unkey.com:443 HTTP/1.1\r\n\r\n",
    "api.unkey.com",
  ];
  const text = fc.oneof(
    fc.string({ unit: codePoint, size: "medium" }),
    fc
      .tuple(fc.constantFrom(...looks), fc.string({ unit: codePoint }))
      .map((parts) => parts.join("")),
  );
  const texts = [...looks, ...fc.sample(text, 300)];
  const file = join(await givenFolder(), "texts");
  writeFileSync(file, JSON.stringify(texts));

  const { code, stderr, stdout } = await redirected("https://api.unkey.com", [
    `${PROGRAMS}/writes.cjs`,
    file,
    String(other.port),
  ]);

  const expected = Buffer.from(texts.join("")).toString();
  expect([code, stdout === expected, stderr.replace(expected, "")]).toEqual([0, true, ""]);
  expect(readFileSync(`${file}.file`, "utf8") === expected).toBe(true);
  expect(readFileSync(`${file}.pipe`, "utf8") === expected).toBe(true);
  await expect.poll(() => other.arrived() === expected).toBe(true);
});

test.each(["http", "https"] as const)(
  "another host gets its calls unchanged by %s",
  async (protocol) => {
    await using other = await givenOtherHost(protocol);

    const { stdout } = await redirected("https://api.unkey.com", [
      `${PROGRAMS}/other.js`,
      other.url,
      other.cert,
    ]);

    const call = {
      host: new URL(other.url).host,
      method: "POST",
      url: "/v2/keys.createKey?a=1",
      body: "some bytes",
    };
    expect(JSON.parse(stdout)).toEqual([call, call]);
  },
);
