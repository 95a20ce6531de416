import { expect, test, vi } from "vitest";
import { createGateway, type Policy } from "../../src/gateway.ts";
import { givenEmulator, REQUEST_ID } from "../_emulator.ts";
import { givenGateway, orders } from "./_gateway.ts";

test.each([
  ["X-Unkey-Principal", true],
  ["X-Unkey-Request-Id", true],
  ["x-unkey-principal", true],
  ["X-Unkey-Foo", true],
  ["Authorization", false],
  ["X-Custom", false],
])("the client's header %s is removed: %j", async (name, isRemoved) => {
  const { ask, seen } = await givenGateway();

  await ask("/", { [name]: "spoofed" });
  if (isRemoved) expect(seen[0]?.headers.get(name)).not.toBe("spoofed");
  else expect(seen[0]?.headers.get(name)).toBe("spoofed");
});

test("a policy does not see headers that begin with X-Unkey-", async () => {
  const match = [{ header: { name: "X-Unkey-Foo" } }];
  const { ask } = await givenGateway({
    policies: [{ match, firewall: { action: "ACTION_DENY" } }],
  });

  expect((await ask("/", { "X-Unkey-Foo": "1" })).status).toBe(200);
});

test("the program gets method, path, query, body and host unchanged, and the gateway's headers", async () => {
  const { gateway, seen } = await givenGateway();
  const { headers } = await gateway.fetch(
    new Request("http://orders.test:8080/a%2Fb?c=%20d&c", {
      method: "PUT",
      body: "the body",
      headers: { "X-Forwarded-For": "203.0.113.9", "X-Forwarded-Proto": "https" },
    }),
  );

  const [request] = seen;
  expect([request?.method, request?.url]).toEqual([
    "PUT",
    "http://orders.test:8080/a%2Fb?c=%20d&c",
  ]);
  expect(await request?.text()).toBe("the body");
  expect(Object.fromEntries(request?.headers ?? [])).toMatchObject({
    "x-unkey-request-id": expect.stringMatching(REQUEST_ID),
    "x-unkey-frontline-id": "local-dev",
    "x-unkey-region": "local::local-dev",
    "x-forwarded-for": "127.0.0.1",
    "x-forwarded-host": "orders.test:8080",
    "x-forwarded-proto": "http",
  });
  expect(headers.get("X-Unkey-Request-Id")).toBe(request?.headers.get("x-unkey-request-id"));
});

test("the client gets the program's response unchanged, with any status", async () => {
  const emulator = await givenEmulator();
  const upstream = () =>
    new Response("no tea", {
      status: 418,
      headers: [
        ["Set-Cookie", "a=1"],
        ["Set-Cookie", "b=2"],
        ["X-Own", "yes"],
      ],
    });
  const reply = await createGateway(emulator, { upstream }).fetch(new Request("http://localhost/"));

  expect([reply.status, await reply.text()]).toEqual([418, "no tea"]);
  expect(reply.headers.getSetCookie()).toEqual(["a=1", "b=2"]);
  expect(Object.fromEntries(reply.headers)).toMatchObject({
    "x-own": "yes",
    "x-unkey-frontline-id": "local-dev",
    "x-unkey-region": "local::local-dev",
    "x-unkey-request-id": expect.stringMatching(REQUEST_ID),
  });
});

test.each([204, 304])("the client gets a response without a body (%i)", async (status) => {
  const emulator = await givenEmulator();
  const upstream = () => new Response(null, { status });

  const gateway = createGateway(emulator, { upstream });
  expect((await gateway.fetch(new Request("http://localhost/"))).status).toBe(status);
});

test("request ids are the same in each run, and do not change the emulator's ids", async () => {
  const [one, other] = [await givenGateway(), await givenGateway()];
  const idsOf = async ({ ask }: typeof one) => [
    (await ask()).headers.get("X-Unkey-Request-Id"),
    (await ask()).headers.get("X-Unkey-Request-Id"),
  ];

  const ids = await idsOf(one);
  expect(new Set(ids).size).toBe(2);
  expect(await idsOf(other)).toEqual(ids);
  expect(one.emulator.revision).toBe(other.emulator.revision);
});

const deny: Policy = { firewall: { action: "ACTION_DENY" } };

test("a firewall denies a request, and later policies do not run", async () => {
  const { askWith, emulator } = await givenGateway({ policies: [deny, { keyauth: {} }] });

  const { code, hint, status, text } = await askWith("ord_good");
  expect([status, code]).toEqual([403, "err:frontline:client:firewall_denied"]);
  expect(JSON.parse(text).error.message).toBe("Forbidden");
  expect(hint).toBe("policy_1: the firewall denies this request");
  expect(emulator.requests.count()).toBe(0);
});

test.each<Policy>([
  { firewall: {} },
  { firewall: { action: "ACTION_UNSPECIFIED" } },
  { ...deny, enabled: false },
  { openapi: {} },
  { logging: { requestBody: true } },
  { jwtauth: {} },
])("a policy without effect lets a request through: %j", async (policy) => {
  const { ask } = await givenGateway({ policies: [policy], emulator: { log: () => {} } });

  expect((await ask()).status).toBe(200);
});

test("a policy that has no effect here is reported once, with its place", async () => {
  const log = vi.fn();
  await givenGateway({ policies: [{ keyauth: {} }, { openapi: {} }], emulator: { log } });

  expect(log.mock.calls).toEqual([
    [
      {
        kind: "warning",
        message: "createGateway: policies[1].openapi: it has no effect here",
      },
    ],
  ]);
});

test("a refusal has the service's message, and none of the headers of a forwarded response", async () => {
  const { ask } = await givenGateway({ policies: [{ keyauth: {} }] });

  const { headers, text } = await ask();
  expect(text).toMatch(
    /^\{"meta":\{"requestId":"req_\w{16}"\},"error":\{"code":"err:frontline:client:missing_credentials","message":"Authentication required\. Please provide a valid API key\."\}\}$/,
  );
  expect(headers.get("Content-Type")).toBe("application/json");
  for (const name of ["Request-Id", "Frontline-Id", "Region"])
    expect(headers.has(`X-Unkey-${name}`)).toBe(false);
});

test.each([
  ["application/json", true],
  ["application/*", true],
  ["*/*", true],
  ["text/html, application/json", true],
  ["text/html, */*", false],
  ["text/html", false],
  ["text/plain", false],
  [undefined, false],
])("a refusal for Accept %s is JSON: %j", async (accept, isJson) => {
  const { gateway } = await givenGateway({ policies: [deny] });
  const headers = accept === undefined ? {} : { Accept: accept };

  const reply = await gateway.fetch(new Request("http://localhost/", { headers }));
  const text = await reply.text();
  expect(reply.headers.get("Content-Type")).toMatch(isJson ? /json/ : /^text\/html/);
  if (isJson) expect(JSON.parse(text).meta.requestId).toMatch(REQUEST_ID);
  else
    for (const part of ["403 Forbidden", "err:frontline:client:firewall_denied", "req_"])
      expect(text).toContain(part);
});

const failure = (code: string) => Object.assign(new Error(`it failed: ${code}`), { code });
test.each([
  [
    "ECONNREFUSED",
    503,
    "upstream:service_unavailable",
    "The service is temporarily unavailable. Please try again later.",
  ],
  [
    "EHOSTUNREACH",
    503,
    "upstream:service_unavailable",
    "The service is temporarily unavailable. Please try again later.",
  ],
  [
    "ENOTFOUND",
    503,
    "upstream:service_unavailable",
    "The service is temporarily unavailable. Please try again later.",
  ],
  [
    "ETIMEDOUT",
    504,
    "upstream:gateway_timeout",
    "The request took too long to process. Please try again later.",
  ],
  [
    "ECONNRESET",
    502,
    "upstream:bad_gateway",
    "Unable to connect. Please try again in a few moments.",
  ],
  ["EOTHER", 502, "upstream:bad_gateway", "Unable to connect. Please try again in a few moments."],
])("a program that fails with %s is answered %i", async (code, status, end, message) => {
  const log = vi.fn();
  const upstream = () => Promise.reject(failure(code));
  const { ask } = await givenGateway({ options: { upstream }, emulator: { log } });

  const answer = await ask();
  expect([answer.status, answer.code]).toEqual([status, `err:frontline:${end}`]);
  expect(JSON.parse(answer.text).error.message).toBe(message);
  expect(answer.hint).toContain(`it failed: ${code}`);
  expect(log).toHaveBeenCalledWith({
    kind: "warning",
    message: `gateway: the program did not answer: Error: it failed: ${code}`,
  });
});

test.each([
  [undefined, "nothing"],
  ["text", "a string of 4 characters"],
])("a program that is a function and returns %j is answered 502", async (returned, kind) => {
  const { ask } = await givenGateway({ options: { upstream: () => returned as never } });

  const { hint, status } = await ask();

  expect(status).toBe(502);
  expect(hint).toContain(`expected a Response, got ${kind}`);
});

test("a program that takes longer than 15 minutes is answered 504", async () => {
  const timeout = vi.spyOn(AbortSignal, "timeout");
  const late = new AbortController();
  timeout.mockReturnValue(late.signal);
  const upstream = () => new Promise<Response>(() => late.abort(new Error("late")));
  const { ask } = await givenGateway({ options: { upstream }, emulator: { log: () => {} } });

  const { code, status } = await ask();
  expect([status, code]).toEqual([504, "err:frontline:upstream:gateway_timeout"]);
  expect(timeout).toHaveBeenCalledWith(900_000);
  timeout.mockRestore();
});

test("the call of the program is aborted when the client disconnects", async () => {
  const client = new AbortController();
  const ended = vi.fn();
  const upstream = (request: Request) => {
    request.signal.addEventListener("abort", ended);
    queueMicrotask(() => client.abort(new Error("left")));
    return new Promise<Response>(() => {});
  };
  const { ask } = await givenGateway({ options: { upstream } });

  await expect(ask("/", {}, { signal: client.signal })).rejects.toThrow("left");
  expect(ended).toHaveBeenCalledOnce();
});

test.each([
  ["http://orders.test/", 200],
  ["http://ORDERS.test:8080/", 200],
  ["http://orders.test./", 200],
  ["http://localhost:8080/", 404],
  ["http://other.test/", 404],
])("the host name picks one of two routes: %s is answered %i", async (url, status) => {
  const emulator = await givenEmulator();
  const route = (hostname: string) => ({ hostname, upstream: () => new Response(hostname) });
  const gateway = createGateway(emulator, { routes: [route("orders.test"), route("b.test")] });

  const reply = await gateway.fetch(new Request(url, { headers: { Accept: "*/*" } }));
  expect(reply.status).toBe(status);
  if (status === 200) return;
  expect((await reply.json()).error).toEqual({
    code: "err:frontline:routing:config_not_found",
    message:
      "No deployment found for this hostname. Please check your domain configuration or contact support at support@unkey.com.",
  });
  expect(reply.headers.get("X-Latchkey-Hint")).toContain("orders.test, b.test");
});

test.each(["localhost", "127.0.0.1:8080", "[::1]:8080", "orders.test"])(
  "a single route answers for %s",
  async (host) => {
    const emulator = await givenEmulator();
    const upstream = () => new Response();
    const gateway = createGateway(emulator, { routes: [{ hostname: "orders.test", upstream }] });

    expect((await gateway.fetch(new Request(`http://${host}/`))).status).toBe(200);
  },
);

test("a WebSocket is answered 501 with a hint, but any other offer of an upgrade is ignored", async () => {
  const { ask } = await givenGateway();

  for (const Upgrade of ["WebSocket", "h2c, websocket"]) {
    const { code, hint, status } = await ask("/", { Upgrade });
    expect([status, code]).toEqual([501, "err:frontline:latchkey:upgrade"]);
    expect(hint).toContain("WebSocket");
  }
  // Java offers HTTP/2, and Apache's HttpClient TLS.
  for (const Upgrade of ["h2c", "TLS/1.2"]) expect((await ask("/", { Upgrade })).status).toBe(200);
});

test("the log has a line for each request, without the query and secrets", async () => {
  const lines: string[] = [];
  const { ask, askWith } = await givenGateway({
    policies: [{ id: "auth", keyauth: {} }],
    emulator: { log: (entry) => void (entry.kind === "notice" && lines.push(entry.message)) },
  });

  await askWith("ord_good", "/orders?a=1");
  await askWith("ord_disabled", "/ord_disabled");
  await ask("/orders");
  const ms = (line: string) => line.replace(/\d+ ms/, "N ms");
  expect(lines.map(ms)).toEqual([
    "gateway GET /orders 200 VALID auth N ms",
    "gateway GET /*** 401 DISABLED auth N ms hint: auth: the key is disabled",
    "gateway GET /orders 401 missing_credentials auth N ms hint: auth: the request has no key",
  ]);
});

test("a warning names the first request that no keyauth policy matches", async () => {
  const warnings: string[] = [];
  const { ask, askWith } = await givenGateway({
    policies: [
      { match: [{ path: { path: { prefix: "/order/" } } }], keyauth: {} },
      { ratelimit: { limit: 9, windowMs: 60_000, identifiers: [{ remoteIp: {} }] } },
    ],
    emulator: { log: (entry) => void (entry.kind === "warning" && warnings.push(entry.message)) },
  });

  expect((await ask("/order/1")).status).toBe(401);
  expect((await askWith("ord_good", "/order/1")).status).toBe(200);
  expect(warnings).toEqual([]);
  for (const path of ["/orders/1?key=ord_good", "/orders/2"])
    expect((await ask(path)).text).toBe("nobody");
  expect(warnings).toEqual([
    "gateway GET /orders/1: no keyauth policy matches, so the request passes without a key; later ones are not reported",
  ]);
});

test.each<[string, unknown, string[]]>([
  ["neither upstream nor routes", {}, ["createGateway: expected exactly one of upstream, routes"]],
  [
    "an invalid upstream",
    { upstream: "localhost" },
    [
      'createGateway: upstream: expected a function like app.fetch, or a URL like http://localhost:3000, got "localhost"',
    ],
  ],
  [
    "a URL with a path",
    { upstream: "http://localhost:3000/api" },
    [expect.stringContaining("createGateway: upstream: expected a function")],
  ],
  [
    "a policy with two kinds, and negative credits",
    {
      upstream: () => new Response(),
      policies: [{ keyauth: {}, firewall: {} }, { keyauth: { credits: -1 } }],
    },
    [
      expect.stringMatching(
        /^createGateway: policies\[0\]: expected exactly one of keyauth, ratelimit, firewall/,
      ),
      "createGateway: policies[1].keyauth.credits: expected an integer of at least 0, got -1",
    ],
  ],
  [
    "an unknown member, in either spelling",
    {
      upstream: () => new Response(),
      policies: [{ keyauth: { key_space_id: ["ks_orders"], permission_query: "(a" } }],
    },
    [
      expect.stringMatching(
        /^createGateway: policies\[0\]\.keyauth\.permission_query: expected a permission query/,
      ),
      expect.stringMatching(/key_space_id: unknown member, did you mean "keySpaceIds"/),
    ],
  ],
  [
    "invalid expressions",
    {
      upstream: () => new Response(),
      policies: [
        { firewall: {}, match: [{ path: { path: { regex: "[invalid" } } }] },
        { firewall: {}, match: [{ path: { path: { regex: "(?=a)" } } }] },
        { firewall: {}, match: [{ path: { path: { exact: "a", prefix: "b" } } }] },
        { firewall: {}, match: [{ path: {}, method: {} }] },
      ],
    },
    [
      expect.stringMatching(
        /policies\[0\]\.match\[0\]\.path\.path\.regex: expected a regular expression/,
      ),
      expect.stringMatching(/policies\[1\]\.match\[0\]\.path\.path\.regex: .* at character 1/),
      expect.stringMatching(
        /policies\[2\]\.match\[0\]\.path\.path: expected at most one of exact, prefix, regex/,
      ),
      expect.stringMatching(/policies\[3\]\.match\[0\]: expected at most one of path, method/),
    ],
  ],
  [
    "the same id twice, and the same host twice",
    {
      routes: [
        {
          hostname: "a.test",
          upstream: () => new Response(),
          policies: [
            { id: "one", firewall: {} },
            { id: "one", firewall: {} },
          ],
        },
        { hostname: "A.test.", upstream: () => new Response() },
      ],
    },
    [
      "createGateway: routes[0].policies[1].id: expected an id that no other policy has",
      'createGateway: routes[1].hostname: expected a host that no other route has, got "a.test"',
    ],
  ],
])("createGateway refuses %s", async (_, options, problems) => {
  const emulator = await givenEmulator({ fixtures: [orders] });

  let thrown: unknown;
  try {
    createGateway(emulator, options as never);
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toMatchObject({ name: "UsageError", problems });
});
