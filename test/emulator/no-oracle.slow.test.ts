import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { createEmulator, type Emulator, type EmulatorOptions } from "../../src/index.ts";
import { serve } from "../../src/node.ts";
import { hashValue } from "../../src/state/keys/key-secret.ts";
import { NOW } from "../_emulator.ts";

// A client that knows no secret learns none: the answer to the beginning of a secret equals the answer to
// any other text of this length, wherever the client sends it.

const CONTROL_TOKEN = "zqctl_4f1b9c07d2e85a36";
const TOKEN = "zqtok_8Hn2kLp5WvXc3RtY";
const GIVEN = "zqkey_w7Jd9sKf4mQa";
const HASHED = "zqhash.1p3x5v7n9r";
const fixture = {
  apis: [{ id: "api_one", storeEncryptedKeys: true }],
  tokens: [{ token: TOKEN, permissions: ["*"] }],
  roles: [{ name: "reader", permissions: ["documents.read"] }],
  identities: [{ externalId: "ann" }],
  keys: [
    { apiId: "api_one", id: "key_given", key: GIVEN, recoverable: true },
    { apiId: "api_one", id: "key_made", prefix: "zq" },
    { apiId: "api_one", id: "key_hashed", start: "zqhash", hash: hashValue(HASHED) },
  ],
};

async function given(options: EmulatorOptions): Promise<Emulator> {
  const emulator = await createEmulator({
    fixtures: [fixture],
    controlToken: CONTROL_TOKEN,
    randomSeed: 1,
    now: NOW,
    log: () => {},
    ...options,
  });
  for (const [status, match] of [
    [503, { key: GIVEN }],
    [502, { name: TOKEN }],
  ] as const) {
    emulator.faults.add({ status, match });
  }
  return emulator;
}

/** The values that latchkey generated for the fixture and for a call of each version. */
async function valuesOf(emulator: Emulator): Promise<readonly string[]> {
  const values: string[] = [];
  for (const version of ["v1", "v2"]) {
    const body = JSON.stringify({ apiId: "api_one", prefix: "zq" });
    const headers = { Authorization: `Bearer ${TOKEN}`, "Content-Type": "application/json" };
    const url = `http://x/${version}/keys.createKey`;
    const answer = await (await emulator.fetch(url, { method: "POST", headers, body })).text();
    values.push(/"key":"([^"]+)"/.exec(answer)?.[1] ?? "");
  }
  return values;
}

interface Sent {
  readonly path: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A text as a client sends it in a header: each byte is a character. */
const bytes = (text: string) => Buffer.from(text).toString("latin1");

/** Requests that have a text in every place where one can stand. */
function requestsWith(text: string, operations: Emulator["operations"]): readonly Sent[] {
  const post = (path: string, body: unknown, headers = {}): Sent => ({
    method: "POST",
    path,
    body: typeof body === "string" ? body : JSON.stringify(body),
    headers: { "Content-Type": "application/json", ...headers },
  });
  const record = { id: text, name: text, slug: text, externalId: text, token: text };
  const named = [text, { id: text, name: text, slug: text }];
  const wide = { apiId: text, keyId: text, key: text, value: text, hash: text, migrationId: text };
  const others = { identity: text, role: text, permission: text, namespace: text, cursor: text };
  const inputs = operations.flatMap(({ contract: { method, path } }): Sent[] =>
    method === "GET"
      ? ["apiId", "keyId", "cursor", "externalId", text].map((name) => ({
          path: `${path}?${encodeURIComponent(name)}=${encodeURIComponent(text)}`,
        }))
      : [
          post(path, { ...wide, ...others, ...record }),
          post(path, { apiId: "api_one", keyId: "key_given", roles: named, permissions: named }),
          post(path, {
            apiId: "api_one",
            name: "a",
            meta: { [text]: [text] },
            [text]: { [text]: text },
          }),
        ],
  );
  const fixtures = [
    { keys: [{ apiId: text }, { apiId: "api_one", key: text, name: text }] },
    { keys: [{ apiId: "api_one", hash: text }], [text]: text },
    { tokens: [record], roles: [record], apis: [{ id: text }], faults: [{ operation: text }] },
  ];
  const control = [
    ...fixtures.flatMap((each) => [
      post("/_latchkey/seed", each),
      { ...post("/_latchkey/snapshot", each), method: "PUT" },
    ]),
    post("/_latchkey/faults", { operation: text, status: 500 }),
    post("/_latchkey/faults", { match: { key: text, [text]: 1 }, status: 500 }),
    post("/_latchkey/keys/find", { value: text }),
    { ...post("/_latchkey/clock", { now: text }), method: "PUT" },
    ...["requests?operation", "requests?cursor", "keys?search", "keys?cursor", "events?x"].map(
      (name) => ({ path: `/_latchkey/${name}=${encodeURIComponent(text)}` }),
    ),
    { path: `/_latchkey/requests?match=${encodeURIComponent(JSON.stringify({ key: text }))}` },
    { path: `/_latchkey/${encodeURIComponent(text)}` },
    { path: `/_latchkey/keys/${encodeURIComponent(text)}`, method: "DELETE" },
  ];
  const one = "/v2/keys.getKey";
  const headers = [
    "Accept Authorization Content-Type Content-Encoding Cookie Origin Referer User-Agent X-Latchkey-Unseen",
    "Access-Control-Request-Headers X-Forwarded-For X-Api-Key If-None-Match Sec-Fetch-Site Range",
  ].flatMap((names) => names.split(" "));
  const paths = ["/", "/v1/", "/v2/", "/v2/keys.", "/v9/", "/v1/apis/", "//", "/_latchkey"];
  return [
    // First, because the reply names the nearest of all requests.
    { path: `/_latchkey/requests?wait=1&match=${encodeURIComponent(JSON.stringify({ x: text }))}` },
    ...inputs,
    ...control,
    ...paths.flatMap((path) =>
      [text, encodeURIComponent(text)].flatMap((shown) => [
        { path: path + bytes(shown) },
        { path: path + bytes(shown), headers: { "X-Latchkey-Unseen": "true" } },
      ]),
    ),
    ...headers.flatMap((name) => [
      post(one, { keyId: "key_given" }, { [name]: bytes(text) }),
      { path: "/v1/apis.listKeys?apiId=api_one", headers: { [name]: bytes(text) } },
    ]),
    { path: one, method: "OPTIONS", headers: { Origin: `http://${bytes(text)}` } },
    ...["Bearer", "bearer", "Basic", "Bearer a"].map((scheme) =>
      post(one, { keyId: "key_given" }, { Authorization: `${scheme} ${bytes(text)}` }),
    ),
    ...[text, JSON.stringify(text), `{"key":"${text}`, `key=${text}`, `["${text}"`].map((body) =>
      post(one, body),
    ),
  ];
}

/** The end of the first events of a stream, which does not end and may come in several parts. */
const FIRST_EVENTS = /event: change\n.*\n\n$/;

type Send = (sent: Sent) => Promise<string>;

const throughFetch =
  (emulator: Emulator): Send =>
  async ({ path, ...init }) => {
    const response = await emulator.fetch(`http://x${path}`, init);
    const reader = response.body?.getReader();
    let text = "";
    for (let part = await reader?.read(); part?.value !== undefined; part = await reader?.read()) {
      text += new TextDecoder().decode(part.value);
      if (FIRST_EVENTS.test(text)) break;
    }
    await reader?.cancel();
    return [response.status, JSON.stringify([...response.headers]), text].join("\n");
  };

const throughHttp =
  (port: number): Send =>
  ({ body, ...sent }) =>
    new Promise((resolve, reject) => {
      const request = httpRequest(
        { port, host: "127.0.0.1", agent: false, ...sent },
        (response) => {
          let text = "";
          const end = () => {
            const { date: _, ...headers } = response.headers;
            resolve([response.statusCode, JSON.stringify(headers), text].join("\n"));
          };
          response.setEncoding("utf8").on("data", (part) => {
            text += part;
            if (FIRST_EVENTS.test(text)) response.destroy();
          });
          response.on("close", end);
        },
      );
      request.on("error", reject).end(body);
    });

/** Bytes that are no request, or that ask for a tunnel or another protocol. */
const rawWith = (text: string) => [
  `CONNECT ${bytes(text)}:443 HTTP/1.1\r\nHost: ${bytes(text)}\r\n\r\n`,
  `GET /v2/${bytes(text)} HTTP/1.1\r\nHost: ${bytes(text)}\r\nConnection: close\r\n\r\n`,
  `GET /_latchkey/requests HTTP/1.1\r\nHost: ${bytes(text)}\r\nConnection: close\r\n\r\n`,
  `GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: ${bytes(text)}\r\n\r\n`,
  `${bytes(text)} / HTTP/1.1\r\n\r\n`,
  `GET / ${bytes(text)}\r\n\r\n`,
  `GET / HTTP/1.1\r\n${bytes(text)}\r\n\r\n`,
];

function exchange(port: number, raw: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    let text = "";
    socket.setEncoding("utf8").on("data", (part) => (text += part));
    socket.on("close", () => resolve(text.replace(/\r\nDate: .*/, "")));
    socket.on("error", reject).end(raw, "latin1");
  });
}

/** The content of an answer without the sent text. */
function without(text: string, answer: string): string {
  const json = JSON.stringify(text).slice(1, -1);
  const ascii = text.replaceAll(/[^\x20-\x7e]+/g, "?");
  const forms = [
    text,
    bytes(text),
    bytes(bytes(text)),
    bytes(text).replaceAll("\u0080", String.raw`\u0080`),
    encodeURIComponent(text),
    encodeURI(text),
    bytes(encodeURI(bytes(text))),
    json,
    ascii,
  ];
  return forms
    .reduce((rest, form) => rest.replaceAll(form, "<sent>"), answer)
    .replaceAll(/"duration":[\d.e-]+|"content-length"[,:]"\d+"/g, "");
}

/** The places where the answers differ; there should be none. */
function differencesOf(guessed: readonly unknown[] = [], other: readonly unknown[] = []) {
  return guessed.flatMap((answer, index) => {
    const [one, two] = [answer, other[index]].map((each) => JSON.stringify(each));
    if (one === undefined || one === two) return [];
    const at = Array.from(one).findIndex((letter, place) => letter !== two?.[place]);
    return [[one, two].map((text) => text?.slice(Math.max(0, at - 200), at + 100))];
  });
}

/** Another text of the same length and kind, with the same beginning of `same` characters. */
function otherThan(text: string, same: number): string {
  const next = (characters: string) => (letter: string) =>
    characters[(characters.indexOf(letter) + 1) % characters.length] ?? letter;
  return (
    text.slice(0, same) +
    text
      .slice(same)
      .replaceAll(/[a-z]/g, next("zyxwvkjh"))
      .replaceAll(/[A-Z]/g, next("ZYXWVKJH"))
      .replaceAll(/\d/g, next("1234567890"))
  );
}

/**
 * Beginnings of a secret and what may follow them, each with another text that begins no secret. The
 * secrets take turns, so that each beginning is tried with half of them.
 */
function guessesOf(secret: string, turn: number): readonly (readonly [string, string])[] {
  const last = secret.length - 1;
  const all = [
    [secret.slice(0, 8), 7, "\u2026"],
    [secret.slice(0, 8), 0, ""],
    [secret.slice(0, last), last - 1, "***"],
    [secret.slice(0, last), last - 1, ""],
  ] as const;
  return [all[turn % 2], all[3 - (turn % 2)]].flatMap((each) => {
    if (each === undefined) return [];
    const [guess, same, end] = each;
    return [[guess + end, otherThan(guess, same) + end] as const];
  });
}

const visitor = { Authorization: "Bearer zz_visitor_of_nothing" };
const settings: readonly (readonly [string, EmulatorOptions, Record<string, string>])[] = [
  ["nobody, with listed tokens", {}, {}],
  ["a token that is not listed", { strict: true, quirks: ["plain-404"] }, visitor],
  ["a visitor of an isolated workspace", { isolate: true }, visitor],
  ["anybody, where no token is listed", { fixtures: [{ ...fixture, tokens: [] }] }, visitor],
];
const SHOWN = ["requests", "findings", "needed-permissions", "events", "keys", "faults"];

test.each(settings)("no answer shows %s how a secret begins", async (_, options, credentials) => {
  const isOpen = credentials === visitor && options.fixtures !== undefined;
  const [, made = ""] = isOpen ? await valuesOf(await given(options)) : [];
  const secrets = isOpen ? [made, GIVEN, HASHED, TOKEN] : [CONTROL_TOKEN, GIVEN];
  for (const [turn, secret] of secrets.entries()) {
    for (const [way, texts] of guessesOf(secret, turn).entries()) {
      const answers = texts.map(async (text) => {
        const emulator = await given(options);
        await valuesOf(emulator);
        const send = throughFetch(emulator);
        const told: (readonly [string, string])[] = [];
        // The guesses take turns with the operations too: all of them together ask each operation.
        const asked = emulator.operations.filter((_, at) => at % 4 === (2 * turn + way) % 4);
        for (const sent of requestsWith(text, asked)) {
          const answer = await send({ ...sent, headers: { ...credentials, ...sent.headers } });
          told.push([without(text, JSON.stringify(sent)), without(text, answer)]);
        }
        for (const name of SHOWN) {
          const answer = await send({ path: `/_latchkey/${name}`, headers: credentials });
          told.push([name, without(text, answer)]);
        }
        return told;
      });
      const [guessed, other] = await Promise.all(answers);
      expect(differencesOf(guessed, other), texts.join(" and ")).toEqual([]);
    }
  }
});

test.each(settings.slice(0, 3))(
  "no answer over HTTP shows %s how a secret begins",
  async (_, options, credentials) => {
    const guess = CONTROL_TOKEN.slice(0, 12);
    for (const texts of [
      [guess, otherThan(guess, 11)],
      [`${guess}…`, `${otherThan(guess, 0)}…`],
    ]) {
      const answers = texts.map(async (text) => {
        const emulator = await given(options);
        const server = await serve(emulator);
        const told: string[] = [];
        for (const sent of requestsWith(text, emulator.operations.slice(0, 3))) {
          const all = { ...sent, headers: { ...credentials, ...sent.headers } };
          const answer = await throughHttp(server.port)(all).catch(String);
          told.push(without(text, answer).replaceAll(String(server.port), "<port>"));
        }
        for (const raw of rawWith(text)) told.push(without(text, await exchange(server.port, raw)));
        await server.close({ grace: 0 });
        return told;
      });
      const [guessed, other] = await Promise.all(answers);
      expect(differencesOf(guessed, other)).toEqual([]);
    }
  },
);

test("a text comes back to its client as it was sent, whole secrets too", async () => {
  const emulator = await given({});
  for (const text of [CONTROL_TOKEN, TOKEN, GIVEN, "zqctl_4f…", "zqtok***", "x".repeat(60)]) {
    const answer = await throughFetch(emulator)({ path: `/v2/${text}` });

    expect(answer).toContain(`does not serve the path /v2/${encodeURI(text)};`);
  }
  const long = await throughFetch(emulator)({ path: `/v2/${TOKEN.repeat(20)}` });

  expect(long).toContain("does not serve the path (444 characters);");
});

test("a call with the header X-Latchkey-Unseen that guesses a path or a token is in the log", async () => {
  const paths: string[] = [];
  const log: EmulatorOptions["log"] = (entry) =>
    void (entry.kind === "request" && paths.push(entry.path));
  const emulator = await given({ log });
  const sent = { "X-Latchkey-Unseen": "true", Authorization: "Bearer unknown" };
  await throughFetch(emulator)({ path: "/v2/guessed", headers: sent });
  await throughFetch(emulator)({ path: "/v1/apis.listKeys?apiId=api_one", headers: sent });

  expect(paths).toEqual(["/v2/guessed", "/v1/apis.listKeys"]);
  expect(emulator.requests.count()).toBe(0);
});
