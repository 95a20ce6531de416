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
import { hashValue } from "../../src/store/key-secret.ts";
import { makeKeyValue } from "../../src/store/ids/key-value.ts";
import { NOW } from "../_emulator.ts";

/** C0 without the end of a line, DEL, C1 and the separators of lines. */
// oxlint-disable-next-line no-control-regex -- it matches control characters on purpose
const CONTROL = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029]/;

const CONTROL_TOKEN = "ctl.control-2468";
const tokens = ["acme_admin_secret", 'tok"en\\with-escapes', `root.${"seg0abc.".repeat(9)}end`];
const HASHED = "known_by_hash_only_1357";
/** Values of every form that a fixture accepts, from the shortest that is masked. */
const values = [
  "pay_live_abc123",
  "sk_live_4eC39HqLyjWDarjtT1zdp7dc",
  "value with spaces",
  'quo"te\\back\tslash',
  "ünï-🔑-välue",
  "<script>&value",
  "a.b.c.d.e.f-9876",
  "12345678",
  "%70%61%79",
  "sixlet",
];

const apis = [{ id: "api_one" }, { id: "api_vault", storeEncryptedKeys: true }];
const fixture = {
  apis,
  tokens: tokens.map((token) => ({ token, permissions: ["*"] })),
  keys: [
    ...values.map((key, index) => ({ apiId: "api_vault", id: `key_${index}`, key })),
    { apiId: "api_one", id: "key_hashed", start: "known", hash: hashValue(HASHED) },
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

/** The texts that the emulator shows: the log, the journal, its events, and hints. */
async function shownBy(emulator: Emulator, lines: string[], hints: string[]): Promise<string[]> {
  const stop = new AbortController();
  const response = await emulator.fetch("http://x/_latchkey/events", {
    headers: { Authorization: `Bearer ${CONTROL_TOKEN}` },
    signal: stop.signal,
  });
  const { value } = (await response.body?.getReader().read()) ?? {};
  stop.abort();
  const events = new TextDecoder().decode(value);
  expect(events).toContain("event: ");
  return [...lines, ...hints, events, JSON.stringify(emulator.requests.list())];
}

/** Texts in which a secret can hide: plain, or with the escapes of JSON. */
function formsOf(secret: string): string[] {
  const escaped = JSON.stringify(secret).slice(1, -1);
  const forms = [secret, escaped, JSON.stringify(escaped).slice(1, -1)];
  // The beginning of a secret that was shortened tells nearly as much.
  return secret.length > 20 ? [...forms, secret.slice(0, 15)] : forms;
}

/** Values as the emulator makes them, of no key of this world. */
const generated = [
  makeKeyValue("one", "test", 16, "v1"),
  makeKeyValue("two", "", 16, "v2"),
  makeKeyValue("three", "my_app", 255, "v2"),
];
const secrets = [
  ...tokens,
  CONTROL_TOKEN,
  ...values,
  ...generated,
  HASHED,
  "deleted-value-24680",
  "rotated-value-13579",
];

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
  escaped: (secret) => ({ body: `{"a": "${toUnicodeEscapes(secret)}", ` }),
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
  path: (secret, _, base) => ({ ...json(base), path: `/${encodeURIComponent(secret)}` }),
  query: (secret, member) => ({ path: `?${member}=${encodeURIComponent(secret)}` }),
  parameter: (secret) => ({ path: `?${encodeURIComponent(secret)}=1` }),
};

function toUnicodeEscapes(text: string): string {
  return Array.from({ length: text.length }, (_, index) => {
    return `\\u${text.charCodeAt(index).toString(16).padStart(4, "0")}`;
  }).join("");
}

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
): Promise<string[]> {
  const hasBody = init.body !== undefined;
  const response = await emulator.fetch(`http://emulator.test${path}${init.path ?? ""}`, {
    method: hasBody ? "POST" : "GET",
    ...(hasBody ? { body: init.body as string } : {}),
    headers: {
      Authorization: `Bearer ${token}`,
      "Content-Type": "application/json",
      ...(init.headers as Record<string, string>),
    },
  });
  await response.arrayBuffer();
  return [response.headers.get("X-Latchkey-Hint") ?? ""];
}

const bases: Record<string, object> = {
  valid: { apiId: "api_one", keyId: "key_0" },
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
        emulator.keys.deleteMany((q) => q.where({ id: "key_victim" }));
        const hints: string[] = [];
        for (const { base, member, path, place, secret, token } of steps) {
          const init = places[place]?.(secret, member, bases[base] ?? {});
          hints.push(...(await call(emulator, path, init ?? {}, token)));
        }
        const shown = await shownBy(emulator, lines, hints);
        for (const { secret } of steps) {
          for (const form of formsOf(secret)) {
            const line = shown
              .flatMap((text) => text.split("\n"))
              .find((text) => text.includes(form));
            expect(line, `${form} is shown`).toBeUndefined();
          }
        }
      },
    ),
    { numRuns: 30, seed: 7, endOnFailure: true },
  );
});

test("the values of keys that were deleted or rotated stay masked", async () => {
  const { emulator, lines } = await givenShown();
  const [token = ""] = tokens;
  const hints = [
    ...(await call(emulator, "/v2/keys.getKey", json({ keyId: "deleted-value-24680" }), token)),
    ...(await call(emulator, "/v2/keys.deleteKey", json({ keyId: "key_victim" }), token)),
    ...(await call(emulator, "/v2/keys.getKey", json({ keyId: "deleted-value-24680" }), token)),
    ...(await call(
      emulator,
      "/v2/keys.rerollKey",
      json({ keyId: "key_rotated", expiration: 0 }),
      token,
    )),
    ...(await call(emulator, "/v2/keys.getKey", json({ keyId: "rotated-value-13579" }), token)),
  ];

  const shown = (await shownBy(emulator, lines, hints)).join("\n");

  expect(shown).not.toMatch(/deleted-value|rotated-value/);
  expect(shown).toContain('"keyId":"***"');
});

test("an isolated workspace masks the secrets of all workspaces", async () => {
  const { emulator, lines } = await givenShown({ isolate: true });
  const one = emulator.workspace("token_of_one");
  await one.seed({ keys: [{ apiId: "api_one", key: "only-in-one-97531" }] });

  await call(emulator, "/v2/keys.getKey", json({ keyId: "only-in-one-97531" }), "token_of_two");

  const [request] = emulator.workspace("token_of_two").requests.list();
  expect(request?.input).toEqual({ keyId: "***" });
  expect(lines.join("\n")).not.toContain("only-in-one");
});

test("secrets in an unexpected error are masked in the log", async () => {
  const { emulator, lines } = await givenShown();

  const match = () => raise(tokens.join());
  emulator.faults.add({ operation: "keys.getKey", status: 500, match });
  await call(emulator, "/v2/keys.getKey", json({ keyId: "key_0" }), tokens[0] ?? "");

  expect(lines.join("\n")).toContain("***");
  expect(lines.join("\n")).not.toMatch(/acme_admin|seg0abc/);
});

function raise(message: string): never {
  throw new Error(message);
}

/** What an emulator shows of one call of v2 keys.getKey with this id. */
async function shownOf(keyId: unknown, token: string, options: EmulatorOptions = {}) {
  const { emulator, lines } = await givenShown(options);
  const path = "/v2/keys.getKey";
  const hints = await call(emulator, path, json({ keyId }), token);
  hints.push(...(await call(emulator, "/v1/keys.deleteKey", json({ keyId }), token)));
  const requests = emulator.workspace === undefined ? [] : emulator.requests.list();
  return [...lines, ...hints, JSON.stringify(requests)].join("\n");
}

const SEGMENTED = `root.${Array.from({ length: 8 }, (_, index) => `seg${index}abc`).join(".")}`;

test.each([
  ["the token that was sent, shortened in a message", SEGMENTED, SEGMENTED, {}, "seg0abc"],
  [
    "a longer secret than the token that was sent",
    "acme_admin_secret",
    "acme_admin",
    {},
    "_secret",
  ],
  ["a secret around the token that was sent", "pay_live_abc123", "live_a", {}, "bc123"],
  [
    "a shortened secret that begins with another one",
    SEGMENTED,
    "acme_admin_secret",
    { fixtures: [{ apis, tokens: [{ token: "root.seg0" }, { token: SEGMENTED }] }] },
    "seg1abc",
  ],
  ["a token with spaces", "correct horse battery", "correct horse battery", {}, "horse"],
  [
    "a value of digits as a number",
    Number("12345678901234567890"),
    tokens[0] ?? "",
    {},
    "1234567890",
  ],
  ["a percent-encoded value in JSON", "value%20with%20spaces", tokens[0] ?? "", {}, "with%20spa"],
  ["a value that is percent-encoded twice", "value%2520with%2520spaces", "", {}, "with%2520spa"],
  [
    "a made value behind other letters",
    `abc${generated[0]?.slice(5)}`,
    "",
    {},
    generated[0]?.slice(9),
  ],
  ["two made values in a row", `${generated[1]}${generated[1]}`, "", {}, generated[1]?.slice(4)],
] as const)("the log, the journal and hints mask %s", async (_, keyId, token, options, part) => {
  const keys = [{ apiId: "api_one", key: "12345678901234567890" }, ...fixture.keys];
  const shown = await shownOf(keyId, token, { fixtures: [{ ...fixture, keys }], ...options });

  expect(shown).toContain("***");
  expect(shown).not.toContain(part);
});

test("tokens of isolated workspaces are masked before their first call", async () => {
  const options = { isolate: true, fixtures: [{ apis }] };
  const grants = ["grant_token_a1", "grant_token_b2"].map((token) => ({ token }));
  const { emulator, lines } = await givenShown({ ...options, tokens: grants });

  const hints = await call(
    emulator,
    "/v2/keys.getKey",
    json({ keyId: "grant_token_b2" }),
    "grant_token_a1",
  );
  await call(emulator, "/v2/grant_token_b2", {}, "");

  const requests = emulator.workspace("grant_token_a1").requests.list();
  expect([...lines, ...hints, JSON.stringify(requests)].join("\n")).not.toContain("grant_token_b2");
});

test.each([
  "pay-live-abc-123",
  "my pay-live-abc-123.",
  "key=pay-live-abc-123",
  "x/pay-live-abc-123/y",
  "pay live abc 124",
])("a value that is known by its hash is masked in %j", async (keyId) => {
  const keys = ["pay-live-abc-123", "pay live abc 124"].map((value) => ({
    apiId: "api_one",
    start: value.slice(0, 5),
    hash: hashValue(value),
  }));

  const shown = await shownOf(keyId, "any_token", { fixtures: [{ apis, keys }] });

  expect(shown).not.toMatch(/abc.12[34]/);
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
    new Error(`refused ${tokens[0]} not_listed_12345`, { cause: { k: secret } }),
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
  expect(shown).not.toMatch(CONTROL);
  expect(shown).not.toMatch(/^12:00:00 GET/m);
});

test("an asynchronous log that fails is told, and the emulator goes on", async () => {
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

test("no control character of a client reaches the terminal or a log", async () => {
  const control = "x\n12:00:00 GET /v1/forged\u001b]0;owned\u0007\u0085\u009b31m\u2028\u2029\u007f";
  for (const options of [{}, { strict: true }]) {
    const { emulator, lines } = await givenShown(options);
    const hints: string[] = [];
    for (const { contract } of emulator.operations) {
      for (const place of Object.values(places)) {
        const init = place(control, "roles", bases["valid"] ?? {});
        hints.push(...(await call(emulator, contract.path, init, tokens[0] ?? "")));
      }
    }
    const shown = await shownBy(emulator, lines, hints);
    const [listed = ""] = shown.splice(-1);

    expect(JSON.parse(listed)).not.toHaveLength(0);
    for (const text of shown) expect(text).not.toMatch(CONTROL);
    for (const line of lines) expect(line).not.toMatch(/^\d+:\d+:\d+ GET \/v1\/forged/m);
  }
});

test("the banner shows no secret and no control character of names", async () => {
  const { emulator } = await givenShown();
  const name = "Payments \u001b]0;owned\u0007 pay_live_abc123\n  token  forged";
  emulator.apis.deleteMany((q) => q.where({ id: "api_vault" }));
  await emulator.apis.create({ id: "api_named", name });
  const server = await serve(emulator);

  const { banner } = startupInfo(emulator, server, {});
  await server.close({ grace: 0 });

  expect(banner).toContain("Payments ?]0;owned? ***?  token  forged");
  expect(banner).not.toMatch(CONTROL);
});

test("control routes escape control characters in their JSON", async () => {
  const { emulator } = await givenShown();
  const server = await serve(emulator);
  await call(
    emulator,
    "/v2/apis.createApi",
    json({ name: "api\u001b[31m\u009b" }),
    tokens[0] ?? "",
  );

  const response = await fetch(`${server.url}/_latchkey/requests`, {
    headers: { Authorization: `Bearer ${CONTROL_TOKEN}` },
  });
  const text = await response.text();
  await server.close({ grace: 0 });

  expect(text).toContain("\\u001b[31m\\u009b");
  expect(text).not.toMatch(CONTROL);
});
