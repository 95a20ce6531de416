import { expect, test } from "vitest";
import { serve } from "../../../src/doors/http/serve.ts";
import { givenEmulator } from "../../_emulator.ts";
import { givenServer } from "../../_server.ts";
import { control, serving } from "../../control/_control.ts";

const parts = [
  ["/", "text/html"],
  ["/_latchkey/ui", "text/html"],
  ["/_latchkey/ui/", "text/html"],
  ["/_latchkey/ui/page.js", "text/javascript"],
  ["/_latchkey/ui/page.css", "text/css"],
] as const;

test.each(parts)("GET %s serves a part of the web page with a strict CSP", async (path, type) => {
  await using served = await givenServer({ fixtures: [{ tokens: [{ token: "secret" }] }] });

  const response = await fetch(`${served.url}${path}`);
  const head = await fetch(`${served.url}${path}`, { method: "HEAD" });

  const text = await response.text();
  const length = String(Buffer.byteLength(text));
  expect([response.status, head.status, await head.text()]).toEqual([200, 200, ""]);
  for (const { headers } of [response, head]) {
    expect(headers.get("content-type")).toBe(`${type}; charset=UTF-8`);
    expect(headers.get("content-length")).toBe(length);
    expect(headers.get("content-security-policy")).toMatch(
      /^default-src 'none'; script-src 'self'/,
    );
    expect(headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    expect(headers.get("access-control-allow-origin")).toBeNull();
  }
  expect(text).not.toMatch(/secret|https?:\/\/(?!www\.w3\.org\/)/);
});

test.each(parts)("GET %s answers whatever page a link to it is on", async (path) => {
  await using served = await givenServer();

  for (const site of ["cross-site", "same-site", "same-origin", "none"]) {
    expect((await fetch(served.url + path, { headers: { "Sec-Fetch-Site": site } })).status).toBe(
      200,
    );
  }
});

test("loading the web page is not recorded in the journal and draws no id", async () => {
  await using served = await givenServer();
  const other = await givenEmulator();

  for (const [path] of parts) await (await fetch(served.url + path)).text();

  expect(served.emulator.requests.list()).toEqual([]);
  const [next, first] = [await fetch(`${served.url}/v1`), await other.fetch(`${served.url}/v1`)];
  expect(next.headers.get("unkey-request-id")).toBe(first.headers.get("unkey-request-id"));
});

test.each(["/_latchkey/ui/nothing.js", "/_latchkey/ui/../ui/page.js", "/_latchkey/uix"])(
  "GET %s is answered with 404",
  async (path) => {
    await using served = await givenServer();

    const answer = await control(served, `GET ${path.slice("/_latchkey".length)}`);

    expect(answer.status).toBe(404);
    expect(answer.body.error.message).toMatch(/^path: unknown control route/);
  },
);

test("POST / is answered by the emulated service, not by the web page", async () => {
  await using served = await givenServer();

  const response = await fetch(served.url, { method: "POST" });

  expect(response.status).toBe(404);
  expect((await response.json()).meta.requestId).toMatch(/^req_/);
});

test.each([{ ui: false }, { control: false }])("%j turns off the web page", async (options) => {
  const emulator = await givenEmulator();
  await using server = await serving(emulator, options);

  for (const [path] of parts) {
    const response = await fetch(`http://127.0.0.1:${server.port}${path}`);
    expect([response.status, response.headers.get("content-type")]).toEqual([
      404,
      expect.stringMatching(/^application\/(?:problem\+)?json/),
    ]);
  }
});

test("serve() returns whether it serves the web page", async () => {
  const [one, other] = await Promise.all([
    serve(await givenEmulator()),
    serve(await givenEmulator(), { ui: false }),
  ]);

  expect([one.hasPage, other.hasPage]).toEqual([true, false]);
  await Promise.all([one.close(), other.close()]);
});
