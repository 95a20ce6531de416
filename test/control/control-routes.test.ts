import { describe, expect, onTestFinished, test } from "vitest";
import { isLoopback } from "../../src/doors/http/control.ts";
import { serve } from "../../src/doors/http/serve.ts";
import type { Emulator, EmulatorOptions, LogEntry } from "../../src/index.ts";
import { createKey, givenEmulator, listKeys, NOW } from "../_emulator.ts";
import { CONTROL, listing, reader, readersOnly, world } from "./_access.ts";
import { API_ONE, control, serving } from "./_control.ts";

describe("refusals", () => {
  test.each([
    [{ fixtures: [listing] }, "reader", /the token needs the permission latchkey\.control or \*/],
    [{ fixtures: [listing] }, "reader", /list it with one, or send the control token/],
    [{ fixtures: [listing] }, "nobody", /the token is not known; expected the control token/],
    [
      { fixtures: [listing] },
      null,
      /expected the control token .* or a listed token .* found none/,
    ],
    [{ controlToken: CONTROL }, null, /--control-token, LATCHKEY_CONTROL_TOKEN, or printed/],
  ] as const)(
    "a refusal by control routes to the token $1 says $2",
    async (options, token, message) => {
      const emulator = await givenEmulator(options);
      const served = await serve(emulator);
      onTestFinished(() => served.close({ grace: 0 }));

      const { body, headers, status } = await control(served, "GET /clock", { token });

      expect(body.error.message).toMatch(/^authorization: /);
      expect(body.error.message).toMatch(message);
      expect(headers.get("www-authenticate")).toBe(status === 401 ? "Bearer" : null);
    },
  );

  test("the log of a refused control call names the flag and the variable unmasked", async () => {
    const messages: unknown[] = [];
    const log = (entry: LogEntry) => {
      if (entry.kind === "request") messages.push(entry.message);
    };
    const emulator = await givenEmulator({ controlToken: CONTROL, log });
    await emulator.fetch("http://x/_latchkey/clock");

    expect(messages).toEqual([
      expect.stringContaining("(--control-token, LATCHKEY_CONTROL_TOKEN, or printed"),
    ]);
  });

  test.each([undefined, "0.0.0.0"])(
    "a request through a proxy is not from this machine, and its refusal says what to do (host %s)",
    async (host) => {
      const emulator = await givenEmulator();
      await using served = await serving(emulator, { host });
      for (const name of [
        "Forwarded",
        "X-Forwarded-For",
        "X-Forwarded-Host",
        "x-forwarded-proto",
      ]) {
        const { body, status } = await control(served, "POST /reset", { headers: { [name]: "x" } });

        expect(status).toBe(403);
        expect(body.error.message).toBe(
          `address: expected a request from this machine, because no token is listed, but this one has the header ${name.toLowerCase()}, as a proxy adds it; give the URL of your proxy (--public-url, or the option publicUrl), or start with a control token, and send it (--control-token, or the option controlToken)`,
        );
      }
    },
  );

  test("a request through a proxy may control with a token that may control", async () => {
    const headers = { "X-Forwarded-For": "192.0.2.1" };
    for (const [options, token] of [
      [{ controlToken: CONTROL }, CONTROL],
      [{ fixtures: [listing] }, "root"],
    ] as const) {
      await using served = await serving(await givenEmulator(options), {});
      const ask = async (sent: string) =>
        (await control(served, "POST /reset", { token: sent, headers })).status;

      expect([await ask(token), await ask("unknown")]).toEqual([204, 401]);
    }
  });

  test("with a public URL, a request through the proxy of that URL may control", async () => {
    const emulator = await givenEmulator();
    await using served = await serving(emulator, { publicUrl: "https://demo.example/latchkey/" });
    const ask = (host: string, origin: string) =>
      control(served, "POST /reset", { host, origin, headers: { "X-Forwarded-For": "192.0.2.1" } });

    expect((await ask("demo.example", "https://demo.example")).status).toBe(204);
    expect((await ask("demo.example", "https://other.example")).status).toBe(403);
    expect((await ask("other.example", "https://demo.example")).status).toBe(403);
  });
});

describe("requests from this machine", () => {
  test.each([
    ["127.0.0.1", true],
    ["127.8.9.10", true],
    ["::1", true],
    ["::ffff:127.0.0.1", true],
    ["::ffff:192.0.2.1", false],
    ["192.0.2.127", false],
    ["128.0.0.1", false],
    ["10.127.0.1", false],
    ["::", false],
    ["0.0.0.0", false],
    ["fe80::1", false],
    ["2001:db8::1", false],
    ["::1:127.0.0.1", false],
    [undefined, false],
  ])(
    "control routes take a request from the address %s as one from this machine: %s",
    (address, expected) => {
      expect(isLoopback(address)).toBe(expected);
    },
  );

  test("control routes recognize requests from this machine on a dual-stack socket", async ({
    skip,
  }) => {
    const emulator = await givenEmulator();
    const server = await serve(emulator, { host: "::" }).catch(() => undefined);
    if (server === undefined) return skip("this machine has no IPv6");
    onTestFinished(() => server.close({ grace: 0 }));

    expect((await control(server, "GET /clock")).status).toBe(200);
    expect(server.isBeyondLoopback).toBe(true);
  });
});

describe("tokens that are listed later", () => {
  const admin = { token: "admin", permissions: ["*"] };
  const ask = async (emulator: Emulator, call: string, token?: string, body?: object) => {
    const [method = "", path = ""] = call.split(" ");
    const headers: Record<string, string> = token ? { Authorization: `Bearer ${token}` } : {};
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    const response = await emulator.fetch(`http://x/_latchkey${path}`, init);
    return { status: response.status, text: await response.text() };
  };
  const status = async (emulator: Emulator, token?: string) =>
    (await ask(emulator, "GET /clock", token)).status;

  test.each([
    ["PUT /snapshot", undefined, world],
    ["POST /seed", undefined, world],
    ["PUT /snapshot", "admin", { ...world, tokens: [admin] }],
  ] as const)(
    "%s refuses new tokens if none of them may use control routes",
    async (call, token, fixture) => {
      const emulator = await givenEmulator({ fixtures: [fixture] });
      const before = emulator.snapshot();

      for (const later of [
        { tokens: [{ token: "late" }] },
        { tokens: [{ token: "late", permissions: ["api.*.read_key"] }] },
        ...(call === "POST /seed"
          ? []
          : [
              {
                tokens: [{ token: "late" }],
                workspaces: [{ workspace: { id: "ws_x" }, tokens: [reader] }],
              },
            ]),
      ]) {
        const refused = await ask(emulator, call, token, later);

        expect(refused.status).toBe(400);
        expect(refused.text).toContain(
          "tokens: expected one with the permission latchkey.control or *",
        );
        expect(refused.text).toContain("(--control-token, or the option controlToken)");
      }

      expect(emulator.snapshot()).toEqual(before);
      expect(await status(emulator, token)).toBe(200);
    },
  );

  test.each([
    [
      "one of them may use control routes",
      {},
      undefined,
      [reader, { token: "ops", permissions: ["latchkey.control"] }],
      "ops",
    ],
    ["there is a control token", { controlToken: CONTROL }, CONTROL, [reader], CONTROL],
    ["the token has its own isolated workspace", { isolate: true }, "mine", [reader], "mine"],
    ["isolation is on and no token is sent", { isolate: true }, undefined, [reader], undefined],
  ] as const)("control routes accept new tokens if %s", async (_, options, token, tokens, then) => {
    for (const call of ["PUT /snapshot", "POST /seed"]) {
      const emulator = await givenEmulator({ fixtures: [world], ...options });
      expect((await ask(emulator, call, token, { tokens })).status).toBe(204);
      expect(await status(emulator, then)).toBe(200);
    }
  });

  test.each([
    ["no token", {}],
    ["a new administrator", { tokens: [{ token: "late", permissions: ["*"] }] }],
    ["a listed token without its permissions", { tokens: [{ token: "admin", permissions: [] }] }],
  ])(
    "with isolation, PUT /snapshot refuses to replace a listed admin with %s",
    async (_, later) => {
      const fixtures = [{ ...world, tokens: [admin] }];
      const emulator = await givenEmulator({ fixtures, isolate: true });
      const before = emulator.snapshot();

      const refused = await ask(emulator, "PUT /snapshot", "admin", later);

      expect(refused.status).toBe(400);
      expect(refused.text).toContain(
        "tokens: expected one that was listed at the start and has the",
      );
      expect(emulator.snapshot()).toEqual(before);
      expect(await status(emulator, "admin")).toBe(200);
      const kept = { tokens: [reader, admin] };
      expect((await ask(emulator, "PUT /snapshot", "admin", kept)).status).toBe(204);
      expect(await status(emulator, "admin")).toBe(200);
    },
  );

  test("the control token cannot be listed as a token, not even in process", async () => {
    const emulator = await givenEmulator({ fixtures: [listing], controlToken: CONTROL });
    const control = { token: CONTROL, permissions: ["*"] };
    const refusal = /^token: token: expected a token that is not the control token/;

    await expect(emulator.tokens.create(control)).rejects.toThrow(refusal);
    const rename = (draft: { token: string }) => void (draft.token = CONTROL);
    await expect(emulator.tokens.update({ token: "root" }, { data: rename })).rejects.toThrow();
    const other = await emulator.workspaces.create({ id: "ws_other" });
    await expect(other.tokens.create(control)).rejects.toThrow(refusal);

    expect(JSON.stringify(emulator.snapshot())).not.toContain(CONTROL);
    await emulator.restore(structuredClone(emulator.snapshot()));
    expect(emulator.tokens.count()).toBe(listing.tokens?.length);
  });

  test("POST /seed accepts new tokens if an earlier token may use control routes", async () => {
    const emulator = await givenEmulator({ fixtures: [{ ...world, tokens: [admin] }] });

    expect((await ask(emulator, "POST /seed", "admin", { tokens: [reader] })).status).toBe(204);
    expect(await status(emulator, "reader")).toBe(403);
  });

  test("new tokens do not change the control token, and restrict control routes from then on", async () => {
    const emulator = await givenEmulator({ fixtures: [readersOnly] });
    const { controlToken } = emulator;
    await emulator.restore(world);
    expect(await status(emulator)).toBe(401);
    expect(await status(emulator, controlToken)).toBe(200);

    const open = await givenEmulator({ fixtures: [world] });
    await open.tokens.create(reader);
    expect([await status(open), await status(open, "reader")]).toEqual([401, 403]);
    expect(open.controlToken).toBeUndefined();
    await open.tokens.create({ token: "late", permissions: ["latchkey.control"] });
    expect(await status(open, "late")).toBe(200);
    await open.reset();
    expect(await status(open)).toBe(200);
  });

  test("an expired token that may use control routes may set the clock back", async () => {
    const expires = NOW + 1_000;
    const emulator = await givenEmulator({ fixtures: [{ tokens: [{ ...admin, expires }] }] });
    emulator.clock.advance("1h");

    const body = JSON.stringify({ now: NOW });
    const headers = { Authorization: "Bearer admin" };
    const init = { method: "PUT", headers, body };
    expect((await emulator.fetch("http://x/_latchkey/clock", init)).status).toBe(200);
    expect(emulator.clock.now()).toBe(NOW);
  });
});

describe("POST /reset?all=true", () => {
  const reset = async (emulator: Emulator, token?: string, query = "?all=true") => {
    const headers: Record<string, string> = token ? { Authorization: `Bearer ${token}` } : {};
    const url = `http://x/_latchkey/reset${query}`;
    const response = await emulator.fetch(url, { method: "POST", headers });
    return { status: response.status, text: await response.text() };
  };
  const totals = (emulator: Emulator, tokens: readonly string[]) =>
    Promise.all(
      tokens.map(async (token) => (await listKeys(emulator, API_ONE, { token })).body.total),
    );
  const givenChanges = async (options: EmulatorOptions) => {
    const emulator = await givenEmulator({ fixtures: [world], isolate: true, ...options });
    emulator.workspace("held");
    for (const token of ["one", "two", "held"]) await createKey(emulator, API_ONE, { token });
    await emulator.keys.create(API_ONE);
    return emulator;
  };

  test("POST /reset?all=true resets every workspace, even with a call in flight", async () => {
    const emulator = await givenChanges({ controlToken: CONTROL });
    emulator.workspace("held").faults.add({ operation: "keys.createKey", latency: 60_000 });
    const late = createKey(emulator, API_ONE, { token: "held" });
    await emulator.workspace("held").requests.waitFor({ operation: "keys.createKey" });

    expect(await reset(emulator, CONTROL)).toEqual({ status: 204, text: "" });

    expect(await totals(emulator, ["one", "two", "held"])).toEqual([1, 1, 1]);
    expect(emulator.keys.count()).toBe(1);
    expect((await late).status).toBe(500);
  });

  test("POST /reset without all, or with all=false, resets only the default workspace", async () => {
    const emulator = await givenChanges({ controlToken: CONTROL });

    for (const query of ["", "?all=false"]) await reset(emulator, CONTROL, query);

    expect(await totals(emulator, ["one", "two", "held"])).toEqual([2, 2, 2]);
    expect(emulator.keys.count()).toBe(1);
  });

  test("POST /reset?all=true is refused to a token with only its own workspace, and without one", async () => {
    const emulator = await givenChanges({});

    for (const token of ["one", undefined]) {
      const { status, text } = await reset(emulator, token);
      expect(status).toBe(403);
      expect(text).toContain("query: all: expected the control token, or a listed token");
    }
    expect(await totals(emulator, ["one", "two", "held"])).toEqual([2, 2, 2]);
  });

  test("without isolation, a token that may use control routes may call POST /reset?all=true", async () => {
    const emulator = await givenChanges({ fixtures: [listing] });
    expect((await reset(emulator, "ops")).status).toBe(204);
    expect(await totals(emulator, ["one", "two", "held"])).toEqual([1, 1, 1]);

    const open = await givenEmulator({ fixtures: [world] });
    await open.keys.create(API_ONE);
    expect((await reset(open)).status).toBe(204);
    expect(open.keys.count()).toBe(1);
  });
});

describe("the control token", () => {
  test("the control token is random for each emulator, whatever the random seed", async () => {
    const options = { fixtures: [readersOnly], randomSeed: 1 };
    const made = [await givenEmulator(options), await givenEmulator(options)].map(
      ({ controlToken }) => controlToken,
    );

    expect(new Set(made).size).toBe(2);
    for (const token of made) expect(token).toMatch(/^control_[0-9a-f]{32}$/);
  });

  test.each([
    [{ controlToken: "" }, "options: controlToken: expected a token of 1 to 512 visible ASCII"],
    [{ controlToken: "two words" }, "options: controlToken: expected a token"],
    [{ controlToken: 5 as never }, "options: controlToken: expected a token"],
    [
      { controlToken: "reader", tokens: [reader] },
      "options: controlToken: expected a token that is not among tokens",
    ],
    [
      { controlToken: "reader", fixtures: [readersOnly] },
      "tokens: expected no control token in this list",
    ],
  ])("the options %j are refused because of their control token", async (options, line) => {
    const attempt = givenEmulator(options);

    await expect(attempt).rejects.toThrow(line);
    await expect(attempt).rejects.not.toThrow(/two words|reader/);
  });

  test("the control token cannot be listed by seed(), restore() or reseed()", async () => {
    const emulator = await givenEmulator({ fixtures: [world], controlToken: CONTROL });
    const fixture = { ...world, tokens: [{ token: CONTROL, permissions: ["*"] }] };
    const before = emulator.snapshot();

    for (const attempt of [
      () => emulator.seed({ tokens: fixture.tokens }),
      () => emulator.restore(fixture),
      () => emulator.reseed([fixture]),
    ]) {
      await expect(attempt()).rejects.toThrow("tokens: expected no control token in this list");
    }
    expect(emulator.snapshot()).toEqual(before);
    expect(() => emulator.workspace(CONTROL)).toThrow();
  });

  test.each([
    ["given", { controlToken: CONTROL }],
    ["random", { fixtures: [readersOnly] }],
    ["given with isolation", { controlToken: CONTROL, isolate: true }],
  ])(
    "the control token appears in no journal, log, snapshot, event or error if it is %s",
    async (_, options) => {
      const told: string[] = [];
      const emulator = await givenEmulator({
        fixtures: [world],
        log: (entry) => void told.push(JSON.stringify(entry)),
        ...options,
      });
      const token = emulator.controlToken ?? "";
      const server = await serve(emulator);
      onTestFinished(() => server.close({ grace: 0 }));
      const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
      const stop = new AbortController();
      const events = await fetch(`${server.url}/_latchkey/events`, {
        headers,
        signal: stop.signal,
      });
      const streamed = (async () => {
        const decoder = new TextDecoder();
        for await (const bytes of events.body ?? []) told.push(decoder.decode(bytes));
      })().catch(() => {});
      const send = async (path: string, init: RequestInit = {}) => {
        const response = await fetch(server.url + path, { headers, ...init });
        told.push(await response.text(), JSON.stringify([...response.headers]));
      };

      const body = JSON.stringify({
        ...API_ONE,
        name: token,
        meta: { [token]: token },
        [token]: 1,
      });
      for (const path of ["/v1/keys.createKey", "/_latchkey/faults", "/_latchkey/seed"]) {
        await fetch(server.url + path, { method: "POST", headers, body });
      }
      await send(`/v1/apis.listKeys?apiId=api_one`);
      await fetch(`${server.url}/v1/${token}?${token}=${token}`);
      await fetch(`${server.url}/_latchkey/${token}`);
      await fetch(`${server.url}/_latchkey/requests?${token}=1`, { headers });
      await send("/_latchkey/requests");
      await send("/_latchkey/snapshot");
      await send("/_latchkey/workspace");
      await send("/_latchkey/openapi.json");
      told.push(JSON.stringify(emulator.snapshot()), JSON.stringify(emulator.requests.list()));
      stop.abort();
      await streamed;

      expect(told.length).toBeGreaterThan(10);
      expect(told.filter((text) => text.includes(token))).toEqual([]);
    },
  );
});

test("with isolation, refused requests do not evict the workspace of a token", async () => {
  const emulator = await givenEmulator({ fixtures: [world], isolate: true });
  await createKey(emulator, API_ONE, { token: "one" });
  const { total } = (await listKeys(emulator, API_ONE, { token: "one" })).body;
  const target = { method: "GET", path: "/_latchkey/clock", query: "", body: new Uint8Array() };

  for (let each = 0; each < 1_001; each += 1) {
    const header = (name: string) => (name === "authorization" ? `Bearer t${each}` : undefined);
    const reply = await emulator.control({
      ...target,
      header,
      remoteReason: "comes from 192.0.2.1",
    });
    expect(reply.status).toBe(403);
  }

  expect((await listKeys(emulator, API_ONE, { token: "one" })).body.total).toBe(total);
});
