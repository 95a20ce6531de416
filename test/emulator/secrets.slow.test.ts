import fc from "fast-check";
import { expect, test, vi } from "vitest";
import * as z from "zod";
import { startupInfo } from "../../src/cli/banner.ts";
import { createLog } from "../../src/cli/log-lines.ts";
import {
  createEmulator,
  defineOperation,
  type Emulator,
  type EmulatorOptions,
} from "../../src/index.ts";
import { serve } from "../../src/node.ts";
import { hashValue } from "../../src/state/keys/key-secret.ts";
import { NOW } from "../_emulator.ts";

/** Control and format characters and separators of lines, but not the end of a line. */
const INVISIBLE = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

const CONTROL_TOKEN = "ctl.control-2468";
const tokens = ["acme_admin_secret", `root.${"seg0abc.".repeat(9)}end`];
const HASHED = "known_by_hash_only_1357";
const values = [
  "pay_live_abc123",
  "sk_live_4eC39HqLyjWDarjtT1zdp7dc",
  "a.b.c.d.e.f-9876",
  "12345678",
  "sixlet",
  "ünï-välue",
];
const secrets = [...tokens, CONTROL_TOKEN, ...values, HASHED];
/** Values with characters that separate words. */
const oddValues = [
  "value with spaces",
  'quo"te\\back\tslash',
  "<script>&value",
  "%70%61%79",
  "a; (b) value",
];

const apis = [{ id: "api_one" }, { id: "api_vault", storeEncryptedKeys: true }];
const fixture = {
  apis,
  tokens: tokens.map((token) => ({ token, permissions: ["*"] })),
  keys: [
    ...[...values, ...oddValues].map((key, index) => ({
      apiId: "api_vault",
      id: `key_${index}`,
      key,
    })),
    { apiId: "api_one", id: "key_spare" },
    { apiId: "api_vault", id: "key_hashed", start: "known", hash: hashValue(HASHED) },
    { apiId: "api_one", id: "key_victim", key: "deleted-value-24680" },
    { apiId: "api_vault", id: "key_rotated", key: "rotated-value-13579", recoverable: true },
  ],
};

/** Everything that an emulator shows beside its replies, and the calls to make with it. */
async function givenShown(options: EmulatorOptions = {}) {
  const lines: string[] = [];
  const write = (line: string) => lines.push(line);
  const logs = (["text", "json", "warn"] as const).map((style) => createLog(style, write));
  const emulator = await createEmulator({
    fixtures: [fixture],
    controlToken: CONTROL_TOKEN,
    randomSeed: 1,
    now: NOW,
    log: (entry) => logs.forEach((log) => log(entry)),
    ...options,
  });
  return { emulator, lines };
}

/** The texts that people other than the sender read: the log, the journal, its events, and findings. */
async function shownBy(emulator: Emulator, lines: string[]): Promise<string[]> {
  const stop = new AbortController();
  const response = await emulator.fetch("http://x/_latchkey/events", {
    headers: { Authorization: `Bearer ${CONTROL_TOKEN}` },
    signal: stop.signal,
  });
  const { value } = (await response.body?.getReader().read()) ?? {};
  stop.abort();
  const events = new TextDecoder().decode(value);
  expect(events).toContain("event: ");
  const listed = [emulator.requests.list(), emulator.findings.list()].map((list) =>
    JSON.stringify(list),
  );
  return [...lines, events, ...listed];
}

type Place = (secret: string, member: string, base: object) => RequestInit & { path?: string };

const json = (body: unknown) => ({ body: JSON.stringify(body) });
const places: Record<string, Place> = {
  member: (secret, member, base) => json({ ...base, [member]: secret }),
  number: (secret, member, base) => json({ ...base, [member]: Number(secret) || secret }),
  item: (secret, member, base) => json({ ...base, [member]: [secret] }),
  object: (secret, member, base) => json({ ...base, [member]: { name: secret, [secret]: 1 } }),
  named: (secret, member, base) => json({ ...base, [member]: [{ name: secret, id: secret }] }),
  within: (secret, member, base) =>
    json({ ...base, [member]: `${"x".repeat(50)} ${secret} after` }),
  late: (secret, member, base) => json({ ...base, [member]: `${"y ".repeat(46)}${secret}` }),
  name: (secret, _, base) => json({ ...base, [secret]: 1 }),
  body: (secret) => json(secret),
  malformed: (secret, member) => ({ body: `{"${member}": ${JSON.stringify(secret)}, ` }),
  form: (secret) => ({ body: new URLSearchParams({ id: secret }).toString() }),
  "content type": (secret, _, base) => ({
    ...json(base),
    headers: { "Content-Type": toHeader(secret) },
  }),
  "content encoding": (secret, _, base) => ({
    ...json(base),
    headers: { "Content-Encoding": toHeader(secret) },
  }),
  header: (secret, _, base) => ({ ...json(base), headers: { Accept: toHeader(secret) } }),
  path: (secret, _, base) => ({ ...json(base), path: `/${encodeURI(secret)}` }),
  method: (secret, _, base) => ({
    ...json(base),
    method: secret.replaceAll(/[^\w.-]/g, "") || "X",
  }),
  query: (secret, member) => ({ path: `?${member}=${encodeURIComponent(secret)}` }),
  parameter: (secret) => ({ path: `?${encodeURIComponent(secret)}=1` }),
};

function toHeader(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/g, "");
}

/** Members of the inputs of operations, and names that none knows. */
const members =
  "apiId keyId key name ownerId externalId meta roles permissions ratelimits prefix expires cursor operation value credits unknown".split(
    " ",
  );

async function call(
  emulator: Emulator,
  path: string,
  init: RequestInit & { path?: string },
  token: string,
): Promise<string> {
  const hasBody = init.body !== undefined;
  const response = await emulator.fetch(`http://emulator.test${path}${init.path ?? ""}`, {
    method: init.method ?? (hasBody ? "POST" : "GET"),
    ...(hasBody ? { body: init.body as string } : {}),
    headers: {
      Authorization: `Bearer ${token}`,
      "Content-Type": "application/json",
      ...(init.headers as Record<string, string>),
    },
  });
  return response.text();
}

const bases: Record<string, object> = {
  valid: { apiId: "api_one", keyId: "key_spare" },
  unknown: { apiId: "api_none", keyId: "key_none" },
  none: {},
};

test("no log, journal, event or hint shows a secret, wherever a client sends it", async () => {
  const { emulator: some } = await givenShown();
  const paths = some.operations.map(({ contract }) => contract.path);
  const settings = fc.constantFrom<EmulatorOptions>({}, { strict: true });
  const step = fc.record({
    path: fc.constantFrom(...paths, "/v1/keys.nothing", "/v2/nothing", "/", "/_latchkey/faults"),
    place: fc.constantFrom(...Object.keys(places)),
    member: fc.constantFrom(...members),
    base: fc.constantFrom(...Object.keys(bases)),
    secret: fc.constantFrom(...secrets),
    token: fc.constantFrom(...tokens, "not_listed_12345"),
  });
  await fc.assert(
    fc.asyncProperty(
      settings,
      fc.array(step, { minLength: 20, maxLength: 40 }),
      async (options, steps) => {
        const { emulator, lines } = await givenShown(options);
        for (const { base, member, path, place, secret, token } of steps) {
          const init = places[place]?.(secret, member, bases[base] ?? {});
          await call(emulator, path, init ?? {}, token);
        }
        const shown = (await shownBy(emulator, lines)).flatMap((text) => text.split("\n"));
        for (const { secret } of steps) {
          const line = shown.find((text) => text.includes(secret));
          expect(line, `${secret} is shown`).toBeUndefined();
        }
      },
    ),
    { numRuns: 15, seed: 7, endOnFailure: true },
  );
});

test("a value of any characters is masked where it is a whole text or name", async () => {
  const { emulator, lines } = await givenShown();
  for (const value of oddValues) {
    const meta = { [value]: [value, 1] };
    await call(
      emulator,
      "/v2/keys.createKey",
      json({ apiId: "api_one", name: value, meta }),
      LISTED,
    );
    await call(emulator, `/v1/apis.listKeys?externalId=${encodeURIComponent(value)}`, {}, LISTED);
    await call(emulator, "/v1/keys.createKey", json({ apiId: value, [value]: 1 }), LISTED);
  }

  for (const { input } of emulator.requests.list({ operation: "apis.listKeys" })) {
    expect(input).toEqual({ externalId: "***" });
  }
  const shown = (await shownBy(emulator, lines)).join("\n");
  for (const value of oddValues) {
    expect(shown).not.toContain(value);
    expect(shown).not.toContain(JSON.stringify(value).slice(1, -1));
  }
});

const LISTED = tokens[0] ?? "";
/** As long as any token and value may be. */
const LONG = `long_${"seg.".repeat(126)}end`;

test.each([
  ["the id of a key", "/v2/keys.getKey", json({ keyId: LONG })],
  ["the id of an API", "/v1/keys.createKey", json({ apiId: LONG })],
  ["an unknown member", "/v1/keys.createKey", json({ apiId: "api_one", [LONG]: 1 })],
  ["a name among others", "/v2/keys.getKey", json({ keyId: "key_0", a: { b: { [LONG]: 1 } } })],
  ["a pattern", "/v2/permissions.createRole", json({ name: `${LONG} é` })],
  ["a content type", "/v1/keys.createKey", { body: "{}", headers: { "Content-Type": LONG } }],
  ["a path", `/v2/${LONG}`, {}],
  ["the end of a long path", `/v2/${"x/".repeat(245)}${LONG}/y`, {}],
  ["the end of many others", "/v2/keys.nothing", json(`${"pay_live_abc123 ".repeat(600)}${LONG}`)],
  ["a query", `/v1/apis.listKeys?apiId=api_one&${LONG}=1&${LONG}=2`, {}],
])("no part of a secret is left when a message shortens %s", async (_, path, init) => {
  const keys = [{ apiId: "api_one", key: LONG }, ...fixture.keys];
  for (const strict of [false, true]) {
    const { emulator, lines } = await givenShown({ fixtures: [{ ...fixture, keys }], strict });
    await call(emulator, path, init, LISTED);

    expect((await shownBy(emulator, lines)).join("\n")).not.toMatch(/long_|seg\./);
  }
});

test("a text that no key and no token holds any more is no secret", async () => {
  const { emulator } = await givenShown();
  const late = { token: "late-token-97531", permissions: ["*"] };
  await emulator.tokens.create(late);
  const look = async (keyId: string) => {
    await call(emulator, "/v2/keys.getKey", json({ keyId }), LISTED);
    return emulator.requests.list().at(-1)?.input;
  };
  const texts = ["deleted-value-24680", "rotated-value-13579", late.token];
  for (const text of texts) expect(await look(text)).toEqual({ keyId: "***" });

  emulator.keys.delete((q) => q.where({ id: "key_victim" }));
  await emulator.keys.update((q) => q.where({ id: "key_rotated" }), {
    data: (key) => void (key.plaintext = "another-value-86420"),
  });
  emulator.tokens.delete((q) => q.where({ token: late.token }));

  for (const text of texts) expect(await look(text)).toEqual({ keyId: text });
  expect(await look("another-value-86420")).toEqual({ keyId: "***" });
  await emulator.reset();
  expect(await look("deleted-value-24680")).toEqual({ keyId: "***" });
});

test("the secrets of one isolated workspace are none in another, and in no log but its own", async () => {
  const { emulator, lines } = await givenShown({ isolate: true });
  const [one, two] = ["token_of_one", "token_of_two"].map((token) => emulator.workspace(token));
  await one?.seed({
    keys: [{ apiId: "api_one", key: "api_one" }],
    tokens: [{ token: "api_two_two" }],
  });
  const sent = { apiId: "api_one", name: "api_two_two" };
  const bodies = [];
  for (const token of ["token_of_one", "token_of_two"]) {
    await call(emulator, "/v2/keys.createKey", json(sent), token);
    bodies.push(await call(emulator, "/v2/api_one", {}, token));
  }

  expect(one?.requests.list()[0]?.input).toEqual({ apiId: "***", name: "***" });
  expect(two?.requests.list()[0]?.input).toEqual(sent);
  expect(bodies[0]?.replaceAll(/req_\w+/g, "")).toBe(bodies[1]?.replaceAll(/req_\w+/g, ""));
  expect(lines.filter((line) => line.includes("/v2/api_one"))).toHaveLength(3);
});

/** What an emulator shows of one call of v2 keys.getKey with this id. */
async function shownOf(keyId: unknown, token: string, options: EmulatorOptions = {}) {
  const { emulator, lines } = await givenShown(options);
  await call(emulator, "/v2/keys.getKey", json({ keyId }), token);
  await call(emulator, "/v1/keys.deleteKey", json({ keyId }), token);
  return [...lines, JSON.stringify(emulator.requests.list())].join("\n");
}

test.each([
  "pay_live_abc123.",
  "a.b.c.d.e.f-9876.",
  "key=pay_live_abc123",
  "x/pay_live_abc123/y?z",
  '{"x":["pay_live_abc123"]}',
  "api.a.b.c.d.e.f-9876.read_key",
  "(pay_live_abc123), known_by_hash_only_1357; a.b.c.d.e.f-9876",
  12_345_678,
])("every secret in %j is masked", async (keyId) => {
  expect(await shownOf(keyId, "any_token")).not.toMatch(/pay_live|known_by|a\.b\.c|12345678/);
});

test.each(["xpay_live_abc123", "pay_live_abc123x", "pay_live_abc12", "pay_live_abc123_"])(
  "%s is no secret, because it is another word than one",
  async (keyId) => {
    expect(await shownOf(keyId, LISTED)).toContain(`"${keyId}"`);
  },
);

test("a token that is not listed is masked in what is recorded of its own requests", async () => {
  const { emulator } = await givenShown({ fixtures: [{ apis }] });
  for (const token of ["some_token_1", "some_token_2"]) {
    await call(emulator, "/v2/keys.getKey", json({ keyId: "some_token_1" }), token);
  }

  const inputs = emulator.requests.list().map(({ input }) => input);
  expect(inputs).toEqual([{ keyId: "***" }, { keyId: "some_token_1" }]);
});

test("the value of a member is never shown if its name ends in key, token, secret or password", async () => {
  const { emulator } = await givenShown();
  const hidden = {
    apiKey: "aa",
    api_key: 1,
    "X-Token": ["aa"],
    clientSecret: { a: "aa" },
    PASSWORD: "aa",
  };
  const shown = { keyId: "aa", tokens: "aa", secretary: "aa", keyed: 5 };
  await call(
    emulator,
    "/v2/keys.createKey",
    json({ apiId: "api_one", meta: { ...hidden, ...shown } }),
    LISTED,
  );
  await call(emulator, "/v1/apis.listKeys?access_token=aa&keyId=aa", {}, LISTED);
  for (const body of ['{"apiKey": "aa', "key=aa", '{"name": "aa']) {
    await call(emulator, "/v2/keys.createKey", { body }, LISTED);
  }

  const [created, listed, ...malformed] = emulator.requests.list().map(({ input }) => input);
  const masked = Object.fromEntries(Object.keys(hidden).map((name) => [name, "***"]));
  expect(created).toEqual({ apiId: "api_one", meta: { ...masked, ...shown } });
  expect(listed).toEqual({ access_token: "***", keyId: "aa" });
  expect(malformed).toEqual([
    "(a body of 14 bytes, which is not JSON)",
    "(a body of 6 bytes, which is not JSON)",
    '{"name": "aa',
  ]);
  expect(emulator.requests.count({ match: { meta: { apiKey: "aa" } } })).toBe(1);
  expect(emulator.requests.count({ match: { meta: { apiKey: "a" } } })).toBe(0);
});

test("tokens of isolated workspaces are masked before their first call", async () => {
  const options = { isolate: true, fixtures: [{ apis }] };
  const grants = ["grant_token_a1", "grant_token_b2"].map((token) => ({ token }));
  const { emulator, lines } = await givenShown({ ...options, tokens: grants });

  await call(emulator, "/v2/keys.getKey", json({ keyId: "grant_token_b2" }), "grant_token_a1");
  await call(emulator, "/v2/grant_token_b2", {}, "grant_token_a1");

  const requests = emulator.workspace("grant_token_a1").requests.list();
  expect([...lines, JSON.stringify(requests)].join("\n")).not.toContain("grant_token_b2");
});

test("a path is masked with the secrets of the time when it is read", async () => {
  const { emulator } = await givenShown();
  await call(emulator, "/v2/pay_late_123", {}, tokens[0] ?? "");
  await emulator.keys.create({ apiId: "api_one", key: "pay_late_123" });

  expect(emulator.requests.list()[0]?.path).toBe("/v2/***");
});

test("the error of an operation is logged without secrets and without what it was given", async () => {
  const thrown: unknown[] = [];
  const operation = defineOperation({
    contract: {
      name: "own.fail",
      method: "POST",
      path: "/v1/own.fail",
      input: z.object({}),
      output: z.object({}),
    },
    requires: () => [],
    run: () => {
      throw thrown.pop();
    },
  });
  const { emulator, lines } = await givenShown({ operations: [operation] });
  const errors = vi.spyOn(console, "error").mockImplementation((text) => lines.push(text));
  const quiet = await createEmulator({ fixtures: [fixture], operations: [operation] });
  const secret = "pay_live_abc123";
  const cases = [
    Object.assign(new Error("x"), { input: { key: secret } }),
    { k: secret },
    new AggregateError([new Error(secret)], "several"),
    new Error(`refused ${tokens[0]}`, { cause: { k: secret } }),
    new Error("\u001b[31m\n12:00:00 GET /v1/forged 200"),
  ];
  for (const error of cases) {
    for (const door of [emulator, quiet]) {
      thrown.push(error);
      await call(door, "/v1/own.fail", json({}), tokens[0] ?? "");
    }
  }
  errors.mockRestore();
  const shown = lines.join("\n");

  expect(lines.length).toBeGreaterThanOrEqual(4 * cases.length);
  expect(shown).not.toMatch(/pay_live|acme_admin/);
  expect(shown).not.toMatch(INVISIBLE);
  expect(shown).not.toMatch(/^12:00:00 GET/m);
});

test("an asynchronous log that fails is reported, and the emulator goes on", async () => {
  const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
  const log = (async () => Promise.reject(new Error("no sink"))) as unknown as () => void;
  const emulator = await createEmulator({ log });

  await call(emulator, "/v1/keys.createKey", json({ apiId: "api_local" }), "any");
  await expect.poll(() => warn.mock.calls.flat().join()).toContain("the log failed");
  warn.mockRestore();

  expect(emulator.keys.count()).toBe(4);
});

test("messages about fixtures mask the tokens and key values in them", async () => {
  const wrong = {
    apis: [{ id: "api_one" }],
    tokens: [{ token: "acme_admin_secret" }],
    keys: [
      { apiId: "pay_live_abc123", key: "pay_live_abc123" },
      { apiId: "api_one", identityId: "acme_admin_secret" },
    ],
  };

  const refusal = createEmulator({ fixtures: [wrong] }).catch(String);

  expect(await refusal).toContain("***");
  expect(await refusal).not.toMatch(/pay_live|acme_admin/);
});

test("a finding masks a time that is the value of a key", async () => {
  const keys = [{ apiId: "api_one", key: "1790000000" }];
  const { emulator } = await givenShown({ fixtures: [{ apis, keys }] });

  await call(
    emulator,
    "/v2/keys.createKey",
    json({ apiId: "api_one", expires: 1_790_000_000 }),
    "any",
  );

  expect(emulator.findings.list()[0]?.why).toMatch(/^keys\.createKey .* expires: \*\*\* is read/);
});

test("a match still compares what the client sent", async () => {
  const { emulator } = await givenShown();
  const input = { keyId: "pay_live_abc123" };
  await call(emulator, "/v2/keys.getKey", json(input), tokens[0] ?? "");

  expect(emulator.requests.count({ match: input })).toBe(1);
});

test("replies and snapshots show values as they are", async () => {
  const { emulator } = await givenShown();
  const fetch = (path: string, body: unknown) =>
    emulator.fetch(`http://emulator.test${path}`, {
      method: "POST",
      headers: { Authorization: `Bearer ${tokens[0]}`, "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });

  const answer = await fetch("/v2/keys.getKey", { keyId: "key_rotated", decrypt: true });

  expect(await answer.json()).toMatchObject({ data: { plaintext: "rotated-value-13579" } });
  expect(JSON.stringify(emulator.snapshot())).toContain("rotated-value-13579");
});

test("no control or format character of a client reaches the terminal or a log", async () => {
  const control =
    "x\n12:00:00 GET /v1/forged\u001b]0;owned\u0007\u0085\u009b31m\u2028\u2029\u007f\u202e\u2066\u200b\ufeff\u{e0041}";
  const paths = [
    "/v1/keys.createKey",
    "/v1/apis.listKeys",
    "/v2/keys.createKey",
    "/v2/apis.listKeys",
  ];
  for (const options of [{}, { strict: true }]) {
    const { emulator, lines } = await givenShown(options);
    for (const path of [...paths, "/v2/keys.addRoles", "/_latchkey/seed", "/v2/nothing"]) {
      for (const place of Object.values(places)) {
        await call(emulator, path, place(control, "roles", bases["valid"] ?? {}), LISTED);
      }
    }
    const shown = await shownBy(emulator, lines);
    const [requests = ""] = shown.splice(-2);

    expect(JSON.parse(requests)).not.toHaveLength(0);
    for (const text of shown) expect(text).not.toMatch(INVISIBLE);
    for (const line of lines) expect(line).not.toMatch(/^\d+:\d+:\d+ GET \/v1\/forged/m);
  }
});

test("the banner shows no secret and no control character of names", async () => {
  const { emulator } = await givenShown();
  const name = "Payments \u001b]0;owned\u0007\u202e pay_live_abc123\n  token  forged";
  emulator.apis.deleteMany((q) => q.where({ id: "api_vault" }));
  await emulator.apis.create({ id: "api_named", name });
  const server = await serve(emulator);

  const { banner } = startupInfo(emulator, server, {});
  await server.close({ grace: 0 });

  expect(banner).toContain("Payments ?]0;owned?? ***?  token  forged");
  expect(banner).not.toMatch(INVISIBLE);
});

test("control routes escape control characters in their JSON", async () => {
  const { emulator } = await givenShown();
  const server = await serve(emulator);
  await call(
    emulator,
    "/v2/apis.createApi",
    json({ name: "api\u001b[31m\u009b\u202e\u{e0041}" }),
    tokens[0] ?? "",
  );

  const response = await fetch(`${server.url}/_latchkey/requests`, {
    headers: { Authorization: `Bearer ${CONTROL_TOKEN}` },
  });
  const text = await response.text();
  await server.close({ grace: 0 });

  expect(text).toContain("\\u001b[31m\\u009b\\u202e\\udb40\\udc41");
  expect(text).not.toMatch(INVISIBLE);
});
