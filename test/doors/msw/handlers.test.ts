import { setupServer } from "msw/node";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { type Emulator } from "../../../src/index.ts";
import { createHandlers, type HandlerOptions } from "../../../src/doors/msw.ts";
import { givenEmulator } from "../../_emulator.ts";
import { givenServer } from "../../_server.ts";

const server = setupServer();
const onUnhandledRequest = vi.fn();
beforeAll(() => server.listen({ onUnhandledRequest }));
afterEach(() => {
  server.resetHandlers();
  onUnhandledRequest.mockClear();
});
afterAll(() => server.close());

const LIST = "/v1/apis.listKeys?apiId=api_one";
const headers = { Authorization: "Bearer any" };

function use(emulator: Emulator, baseUrl: HandlerOptions["baseUrl"]): void {
  server.use(...createHandlers(emulator, { baseUrl }));
}

test("a base URL with a path takes bodies of v2 of up to 10 MiB", async () => {
  use(await givenEmulator(), "https://api.example.com/keys");
  const statuses = [];
  for (const length of [10_485_760, 10_485_761]) {
    const body = `{"pad":"${"x".repeat(length - '{"pad":""}'.length)}"}`;
    const init = {
      method: "POST",
      body,
      headers: { ...headers, "Content-Type": "application/json" },
    };
    statuses.push((await fetch("https://api.example.com/keys/v2/keys.getKey", init)).status);
  }

  expect(statuses).toEqual([400, 413]);
});

test.each([
  ["https://api.example.com", "https://api.example.com"],
  ["https://api.example.com/", "https://api.example.com"],
  [new URL("https://api.example.com/keys"), "https://api.example.com/keys"],
  ["https://api.example.com:443", "https://api.example.com"],
  ["https://API.example.com:8443/keys/", "https://api.example.com:8443/keys"],
  ["http://localhost:3000/a/deep/path", "http://localhost:3000/a/deep/path"],
])("the base URL %s answers a client of %s", async (baseUrl, client) => {
  use(await givenEmulator(), baseUrl);

  const response = await fetch(client + LIST, { headers });

  expect(await response.json()).toEqual({ keys: [], total: 0 });
});

test("several base URLs share one emulator", async () => {
  const emulator = await givenEmulator();
  use(emulator, ["https://one.test", "https://two.test/api"]);

  await fetch("https://one.test/v1/keys.createKey", {
    method: "POST",
    headers: { ...headers, "Content-Type": "application/json" },
    body: '{"apiId":"api_one"}',
  });
  const response = await fetch(`https://two.test/api${LIST}`, { headers });

  expect(await response.json()).toMatchObject({ total: 1 });
});

test.each([
  ["/", "https://app.test"],
  ["/api", "https://app.test/api"],
  ["./api/", "https://app.test/settings/api"],
  ["../api", "https://app.test/api"],
])("the base URL %j is resolved against the page's location: %s", async (baseUrl, client) => {
  vi.stubGlobal("location", { href: "https://app.test/settings/keys?tab=1#first" });
  try {
    use(await givenEmulator(), baseUrl);
  } finally {
    vi.unstubAllGlobals();
  }

  expect((await fetch(client + LIST, { headers })).status).toBe(200);
});

test("a base URL that is no http or https URL is refused, and in a browser one that is no path", async () => {
  const emulator = await givenEmulator();
  const create = (baseUrl: unknown) => () => createHandlers(emulator, { baseUrl } as never);
  const expected = "createHandlers: baseUrl: expected an http or https URL";
  const everywhere = ["undefined", "undefined/v2", "null", "[object Object]", "api.unkey.com", ""];
  everywhere.push("https:api.unkey.com", "https://*.unkey.com", "https://%2A.unkey.com", ".", "*");
  const inNode = ["/api", "ftp://api.example.com", "https://api.example.com?x=1"];

  for (const baseUrl of [...inNode, ...everywhere]) {
    expect(create(baseUrl), baseUrl).toThrow(expected);
    expect(create(baseUrl)).toThrow(`got ${JSON.stringify(baseUrl)}`);
  }
  expect(create("https://api.example.com/#x")).toThrow(expected);
  expect(create(undefined)).toThrow("got undefined");
  expect(create([])).toThrow("got none");
  expect(create([1])).toThrow("got 1");
  expect(() => createHandlers(emulator, undefined as never)).toThrow("createHandlers: baseUrl");
  vi.stubGlobal("location", { href: "https://app.test/settings/keys" });
  try {
    for (const baseUrl of everywhere) expect(create(baseUrl), baseUrl).toThrow(expected);
  } finally {
    vi.unstubAllGlobals();
  }
});

test.each([
  "",
  "/v1/analytics.getVerifications",
  "/v1/identities.createIdentity",
  "/v1/keys.createKey/",
  "/v1/keys.createkey",
  "/v1/keysXcreateKey",
  "/api/v1/keys.createKey",
])("the path %j is left to onUnhandledRequest", async (path) => {
  await using elsewhere = await givenServer();
  use(await givenEmulator(), elsewhere.url);

  await fetch(elsewhere.url + path, { method: "POST" });

  expect(onUnhandledRequest).toHaveBeenCalledOnce();
});

test('another host is left to onUnhandledRequest, as are other paths with others: "pass"', async () => {
  await using elsewhere = await givenServer();
  const handlers = { baseUrl: elsewhere.url, others: "pass" } as const;
  server.use(...createHandlers(await givenEmulator(), handlers));

  await fetch(`${elsewhere.url}/v1/keys.createkey`, { method: "POST" });
  expect(onUnhandledRequest).toHaveBeenCalledOnce();
  onUnhandledRequest.mockClear();
  await fetch(`http://127.0.0.1:${elsewhere.port}${LIST}`, { headers });

  expect(onUnhandledRequest).toHaveBeenCalledOnce();
});

test("a promise of an emulator and undefined are refused", () => {
  const options = { baseUrl: "https://api.example.com" };

  expect(() => createHandlers(givenEmulator() as never, options)).toThrow(
    "createHandlers: expected an emulator, got a promise; is an await missing?",
  );
  expect(() => createHandlers(undefined as never, options)).toThrow(
    "createHandlers: expected an emulator, as createEmulator makes it",
  );
});
