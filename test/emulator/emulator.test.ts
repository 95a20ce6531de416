import { describe, expect, test } from "vitest";
import { createEmulator, UsageError, type Emulator } from "../../src/index.ts";
import { createKey, givenEmulator, listKeys } from "../_emulator.ts";
import { doing } from "../_own-operations.ts";

const stateOf = (emulator: Emulator) =>
  JSON.stringify(
    ["workspaces", "apis", "tokens", "permissions", "roles", "identities", "keys"].map((name) =>
      name === "workspaces"
        ? emulator.workspaces.all().map(({ id }) => id)
        : emulator[name as "keys"].all(),
    ),
  );

describe("defaults", () => {
  test("an emulator without options has an API with a few keys, and any token may do everything", async () => {
    const emulator = await createEmulator();

    const { status, body } = await listKeys(emulator, { apiId: "api_local", decrypt: true });

    expect(status).toBe(200);
    expect(body.total).toBe(3);
    expect((await createKey(emulator, { apiId: "api_local", permissions: ["new"] })).status).toBe(
      200,
    );
  });

  test("emulators without options make different ids and key values, and keys have the real time", async () => {
    const [first, second] = [await createEmulator(), await createEmulator()];
    const before = Date.now();

    const { body: one } = await createKey(first, { apiId: "api_local" });
    const { body: two } = await createKey(second, { apiId: "api_local" });

    expect(one.keyId).not.toBe(two.keyId);
    expect(one.key).not.toBe(two.key);
    expect(first.keys.get(one.keyId)?.createdAt).toBeGreaterThanOrEqual(before);
  });
});

test("two emulators share nothing", async () => {
  const fixture = { apis: [{ id: "api_one" }], keys: [{ apiId: "api_one", meta: { a: 1 } }] };
  const [first, second] = [
    await givenEmulator({ fixtures: [fixture] }),
    await givenEmulator({ fixtures: [fixture] }),
  ];
  const before = stateOf(second);

  await createKey(first, {
    apiId: "api_one",
    externalId: "ann",
    roles: ["admin"],
    permissions: ["read"],
  });
  await first.tokens.create({ token: "secret" });
  await first.apis.create({ id: "api_two" });
  first.keys.delete((query) => query.where((key) => key.meta !== undefined));

  expect(stateOf(second)).toBe(before);
  expect((await listKeys(second, { apiId: "api_one" }, { token: "other" })).body.total).toBe(1);
  await first.reset();
  expect(stateOf(first)).toBe(before);
});

describe("ids and key values", () => {
  const bodies = [
    { externalId: "ann" },
    { roles: ["a"], byteLength: 32 },
    { permissions: ["p"] },
    {},
  ];

  test("ids and key values do not depend on reads and refusals in between", async () => {
    const plain = await givenEmulator({ randomSeed: 7 });
    const busy = await givenEmulator({ randomSeed: 7 });
    const [expected, actual] = [[] as unknown[], [] as unknown[]];
    for (const body of bodies) {
      expected.push((await createKey(plain, { apiId: "api_one", ...body })).body);

      await listKeys(busy, { apiId: "api_one" });
      await listKeys(busy, { apiId: "api_none" });
      await createKey(busy, { apiId: "api_one", byteLength: 1, externalId: "x" });
      await createKey(busy, { apiId: "api_one", recoverable: true, roles: ["x"] });
      await createKey(busy, { apiId: "api_one" }, { token: null });
      actual.push((await createKey(busy, { apiId: "api_one", ...body })).body);
    }

    expect(actual).toEqual(expected);
  });
});

describe("reset", () => {
  test("reset holds requests back until it is done, so that none sees a partial state", async () => {
    const keys = Array.from({ length: 500 }, () => ({ apiId: "api_one" }));
    const emulator = await givenEmulator({ fixtures: [{ apis: [{ id: "api_one" }], keys }] });

    const resets = [emulator.reset(), emulator.reset()];
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => listKeys(emulator, { apiId: "api_one" })),
    );
    await Promise.all(resets);

    expect(answers.map(({ body }) => body.total)).toEqual(Array.from({ length: 20 }, () => 500));
  });

  test("reset gives the same state and ids while creates, updates and requests are under way", async () => {
    const fixtures = [{ apis: [{ id: "api_one" }], keys: [{ apiId: "api_one", id: "key_1" }] }];
    const emulator = await givenEmulator({ fixtures });
    const fresh = await givenEmulator({ fixtures });
    const late = "key_8zzzzzzzzzzzzzzz";

    const work: Promise<unknown>[] = [
      emulator.keys.create({ apiId: "api_one", id: late, externalId: "late", roles: ["late"] }),
      emulator.keys.update((query) => query.where({ id: "key_1" }), {
        data: async (draft) => {
          await new Promise((resolve) => setTimeout(resolve, 20));
          Object.assign(draft, { roles: ["ghost"], plaintext: "pay_secret" });
        },
      }),
    ];
    for (let count = 0; count < 50; count += 1) {
      work.push(createKey(emulator, { apiId: "api_one", externalId: "a", permissions: ["p"] }));
    }
    for (let tick = 0; tick < 20; tick += 1) await Promise.resolve();
    await emulator.reset();
    const results = await Promise.allSettled(work);

    const body = { apiId: "api_one", externalId: "b", roles: ["b"] };
    const [answer, expected] = [await createKey(emulator, body), await createKey(fresh, body)];
    expect(answer.body).toEqual(expected.body);
    expect(answer.headers.get("unkey-request-id")).toBe(expected.headers.get("unkey-request-id"));
    expect(stateOf(emulator)).toBe(stateOf(fresh));
    expect(results[1]).toMatchObject({ status: "rejected" });
    expect(String((results[1] as PromiseRejectedResult).reason)).not.toContain("pay_secret");
  });
});

describe("options", () => {
  const ofToken = (members: object) => ({ tokens: [{ token: "a", ...members }] });
  const TIME = 'expected a time in unix milliseconds, or as "2026-03-01T00:00:00Z" or "in 30d"';
  test.each([
    [{ randomSeed: -1 }, "options: randomSeed: expected an integer of at least 0, got -1"],
    [{ fixtures: {} }, "options: fixtures: expected an array of fixtures, got an object"],
    [
      ofToken({ permissions: 5 }),
      "options: tokens[0].permissions: expected an array of permission",
    ],
    [{ seed: 1 }, "options: seed: unknown member (known: fixtures, generate, tokens,"],
    [{ now: "soon" }, `options: now: ${TIME}, got "soon"`],
    [{ now: Number.NaN }, `options: now: ${TIME}, got NaN`],
    [{ now: null }, "now: expected a time in unix milliseconds"],
    [{ now: "20260101" }, "now: expected a time in unix milliseconds"],
    [null, "options: expected an object, got null"],
    [{ fixtures: [undefined, {}] }, "fixtures[0]: expected an object, got nothing"],
    [{ tokens: [] }, "options: tokens: expected an array of tokens, at least 1"],
    [{ tokens: [{ token: "t" }, { token: "t" }] }, "tokens[1].token: duplicate of tokens[0].token"],
    [
      ofToken({ token: "a b" }),
      "options: tokens[0].token: expected a token of 1 to 512 visible ASCII",
    ],
    [{ fixtures: [{ keys: 5 }] }, "fixtures[0]: keys: expected an array of keys, got 5"],
    [
      { fixtures: ["fixtures/x.yaml"] },
      "fixtures[0]: expected an object, got a string of 15 characters; to read a file, pass `await loadFixture(name)` from latchkey/node",
    ],
  ])("the options %j are refused", async (options, message) => {
    const attempt = createEmulator(options as never);

    await expect(attempt).rejects.toThrow(UsageError);
    await expect(attempt).rejects.toThrow(message);
  });

  test("the options are copied, so that a later change of a fixture has no effect", async () => {
    const fixture = {
      apis: [{ id: "api_one" }],
      keys: [{ apiId: "api_one", meta: { list: [1] } }],
    };
    const emulator = await givenEmulator({ fixtures: [fixture] });

    fixture.keys[0]?.meta.list.push(2);
    await emulator.reset();

    expect(emulator.keys.all()[0]?.meta).toEqual({ list: [1] });
  });

  describe("tokens", () => {
    const fixtures = [
      {
        tokens: [
          { token: "admin", permissions: ["*"] },
          { token: "reader", permissions: ["api.*.read_key"] },
        ],
        apis: [{ id: "api_one" }],
      },
    ];
    const statusOf = async (emulator: Emulator, token: string) =>
      (await listKeys(emulator, { apiId: "api_one" }, { token })).status;

    test("a token of the option tokens keeps its permissions in the fixture, unless it has others", async () => {
      const kept = await givenEmulator({ fixtures, tokens: [{ token: "reader" }] });
      const widened = await givenEmulator({
        fixtures,
        tokens: [{ token: "reader", permissions: ["*"] }],
      });

      expect(await statusOf(kept, "reader")).toBe(403);
      expect(await statusOf(widened, "reader")).toBe(200);
    });

    test("changes of the collection of tokens take effect at once", async () => {
      const emulator = await givenEmulator({ fixtures });

      await emulator.tokens.update((query) => query.where({ token: "admin" }), {
        data: (draft) => void (draft.enabled = false),
      });
      await emulator.tokens.create({ token: "new", permissions: ["*"] });

      expect(await statusOf(emulator, "admin")).toBe(403);
      expect(await statusOf(emulator, "new")).toBe(200);
    });
  });
});

test("without its default workspace the emulator answers 500 and logs why, until a reset", async () => {
  const entries: string[] = [];
  const emulator = await givenEmulator({
    log: (entry) => entries.push(entry.kind === "warning" ? entry.message : entry.kind),
  });
  emulator.workspaces.clear();

  const { status } = await listKeys(emulator, { apiId: "api_one" });

  expect(status).toBe(500);
  expect(entries[0]).toMatch(
    /^workspace: ws_test, the default workspace, was deleted; reset restores it/,
  );
  await emulator.reset();
  expect((await listKeys(emulator, { apiId: "api_one" })).status).toBe(200);
});

test("fetch rejects when its signal is aborted", async () => {
  const emulator = await givenEmulator({ operations: [doing(() => new Promise(() => {}))] });
  const controller = new AbortController();
  const headers = { Authorization: "Bearer any", "Content-Type": "application/json" };
  const init = { method: "POST", headers, body: "{}", signal: controller.signal };

  const answer = emulator.fetch("http://x/v1/tests.run", init);
  setTimeout(() => controller.abort(new Error("enough")));

  await expect(answer).rejects.toThrow("enough");
});

test("fetch rejects if its signal is already aborted", async () => {
  const { fetch } = await givenEmulator();
  const init = { method: "POST", headers: {}, signal: AbortSignal.abort() };

  await expect(fetch("http://x/v1/keys.createKey", init)).rejects.toThrow(/abort/i);
});

test("fetch takes what the global fetch takes, also when detached from the emulator", async () => {
  const { fetch } = await givenEmulator();
  const url = "http://emulator.test/v1/apis.listKeys?apiId=api_one";
  const init = { headers: { Authorization: "Bearer any" } };

  for (const input of [url, new URL(url)]) expect((await fetch(input, init)).status).toBe(200);
});

test("fetch ignores what a server passes behind a Request", async () => {
  const { fetch } = await givenEmulator();
  const url = "http://emulator.test/v1/apis.listKeys?apiId=api_one";
  const request = () => new Request(url, { headers: { Authorization: "Bearer any" } });
  const foreign = { signal: "none", method: 5 };

  for (const more of [[undefined], [foreign], [foreign, { waitUntil() {} }]])
    expect((await fetch(request(), ...more)).status).toBe(200);
});

test("with basePath, fetch answers below that path alone, and everything else with 404", async () => {
  const { fetch } = await givenEmulator({ basePath: "/api/unkey" });
  const snapshot = { method: "PUT", body: JSON.stringify({ "x-long": "x".repeat(11 << 20) }) };
  const ask = async (path: string, init?: RequestInit) => {
    const response = await fetch(`http://emulator.test${path}`, init);
    return `${response.status} ${await response.text()}`;
  };

  expect(await ask("/api/unkey/v2/liveness")).toMatch(/^200 /);
  expect(await ask("/api/unkey/_latchkey/health?x")).toMatch(/^200 /);
  expect(await ask("/api/unkey/_latchkey/snapshot", snapshot)).toMatch(/^204 /);
  expect(await ask("/api/unkey")).toMatch(/^404 .*latchkey does not serve the path \//);
  for (const path of ["/", "/v2/liveness", "/api/unkeys/v2/liveness", "/_latchkey/health"])
    expect(await ask(path)).toMatch(/^404 .*expected a path below \/api\/unkey, the basePath of/);
  for (const basePath of ["", "/", "api", "/api/", "/api?x", "/_latchkey", "https://x/api"])
    await expect(givenEmulator({ basePath })).rejects.toThrow("expected a path like /api/unkey");
});

test("all problems of options and fixtures are reported in one error", async () => {
  const attempt = createEmulator({ randomSeed: -1, now: "x", fixtures: [{ keyz: 1 } as never] });

  await expect(attempt).rejects.toMatchObject({
    problems: [
      expect.stringMatching(/^options: randomSeed: /),
      expect.stringMatching(/^options: now: /),
      expect.stringMatching(/^fixtures\[0\]: keyz: /),
    ],
  });
});

test("fetch refuses a Request whose body was already read, and says so", async () => {
  const emulator = await givenEmulator();
  const request = new Request("http://emulator.test/v1/keys.createKey", {
    method: "POST",
    body: "{}",
  });
  await request.text();

  await expect(emulator.fetch(request)).rejects.toThrow("the body of the request was read already");
});
