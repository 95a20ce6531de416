import { setupServer } from "msw/node";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { createHandlers, type HandlerOptions } from "../../../src/doors/msw.ts";
import { givenEmulator, send } from "../../_emulator.ts";
import { givenServer } from "../../_server.ts";

const server = setupServer();
const onUnhandledRequest = vi.fn();
beforeAll(() => server.listen({ onUnhandledRequest }));
afterEach(() => {
  server.resetHandlers();
  onUnhandledRequest.mockClear();
});
afterAll(() => server.close());

/** An emulator behind msw that answers 404 to every other path below these base URLs. */
async function givenRefusing(...baseUrl: string[]) {
  const emulator = await givenEmulator();
  server.use(...createHandlers(emulator, { baseUrl, others: "refuse" }));
  return emulator;
}

test.each([
  ["POST", "/v1/identities.createIdentity"],
  ["GET", "/v1/keys.createkey?a=1"],
  ["PUT", "/v1/keys.createKey/"],
  ["DELETE", "/v2/keys.frobnicate"],
  ["GET", "/"],
  ["GET", ""],
  ["GET", "/v1/keys%2EcreateKey"],
  ["OPTIONS", "/anything"],
])('with others: "refuse", %s %s is answered as over HTTP', async (method, path) => {
  const emulator = await givenRefusing("https://api.example.com");
  const direct = await givenEmulator();

  // Without an Accept header, some versions of msw show the one that Node sends, others do not.
  const init = { method, headers: { Accept: "*/*" } };
  const answer = await send({ fetch }, new Request(`https://api.example.com${path}`, init));
  const expected = await send(direct, new Request(`http://emulator.test${path}`, init));

  expect({ ...answer, headers: [...answer.headers] }).toEqual({
    ...expected,
    headers: [...expected.headers],
  });
  expect(answer.status).toBe(404);
  const recorded = emulator.requests.list().map(({ path: at, status }) => [at, status]);
  expect(recorded).toEqual(direct.requests.list().map(({ path: at, status }) => [at, status]));
  expect(recorded).toHaveLength(method === "OPTIONS" ? 0 : 1);
  expect(onUnhandledRequest).not.toHaveBeenCalled();
});

test('with others: "refuse", GET /v2/liveness is answered with 200', async () => {
  const emulator = await givenRefusing("https://api.example.com/base");

  const response = await fetch("https://api.example.com/base/v2/liveness");

  expect(response.status).toBe(200);
  expect(emulator.requests.list()).toEqual([]);
});

test.each([
  ["https://one.test/api/v1/identities.getIdentity", "/v1/identities.getIdentity"],
  ["https://one.test/api", "/"],
  ["https://one.test/api/", "/"],
  ["https://one.test/apis/v1/identities.getIdentity", "/apis/v1/identities.getIdentity"],
  ["https://two.test/deep/path/x", "/x"],
])("%s is recorded with the path %s, relative to the innermost base URL", async (url, path) => {
  const emulator = await givenRefusing(
    "https://one.test",
    "https://one.test/api/",
    "https://two.test/deep/path",
  );

  expect((await fetch(url)).status).toBe(404);

  expect(emulator.requests.list()).toMatchObject([{ method: "GET", path, status: 404 }]);
});

test.each(["/elsewhere", "/apiary", "/API/v1/keys.getKey"])(
  "%s, which is not below the base URL, is left to onUnhandledRequest",
  async (path) => {
    await using elsewhere = await givenServer();
    const emulator = await givenRefusing(`${elsewhere.url}/api`);

    await fetch(elsewhere.url + path);

    expect(onUnhandledRequest).toHaveBeenCalledOnce();
    expect(emulator.requests.list()).toEqual([]);
  },
);

test.each(["/_latchkey", "/_latchkey/reset", "/_latchkey/ui"])(
  "%s is answered with 404 and names the method to call in process instead",
  async (path) => {
    const emulator = await givenRefusing("https://api.example.com");
    await emulator.keys.create({ apiId: "api_one" });

    const request = new Request(`https://api.example.com${path}`, { method: "POST" });
    const { status, body } = await send({ fetch }, request);

    expect(status).toBe(404);
    expect(body.error.detail).toMatch(/^control routes are not served here; .*emulator\.reset\(\)/);
    expect(emulator.keys.count()).toBe(1);
  },
);

test.each([
  ["refused", 'got "refused"'],
  [true, "got true"],
  [null, "got null"],
])("others: %j is refused", async (others, got) => {
  const emulator = await givenEmulator();
  const options = { baseUrl: "https://api.example.com", others } as HandlerOptions;

  expect(() => createHandlers(emulator, options)).toThrow(
    `createHandlers: others: expected "pass" or "refuse", ${got}`,
  );
});
