import { request } from "node:http";
import { expect, vi } from "vitest";
import { serve } from "../../src/doors/http/serve.ts";
import type { Emulator, Fixture } from "../../src/index.ts";
import { createKey, listKeys, NOW, type Answer } from "../_emulator.ts";
import type { Journal } from "../../src/world/journal/journal.ts";
import type { Served } from "../_server.ts";

export const API_ONE = { apiId: "api_one" };

/** A record of each kind, which any token may read. */
export const records: Fixture = {
  apis: [{ id: "api_one" }],
  identities: [{ id: "id_1", externalId: "ann" }],
  roles: [{ id: "role_1", name: "admin" }],
  permissions: [{ id: "perm_1", name: "read" }],
  ratelimitNamespaces: [{ id: "rlns_1", name: "emails" }],
  migrations: [{ id: "mig_1" }],
  keys: [{ ...API_ONE, id: "key_1", key: "value_of_1" }],
};

/** Has listed tokens, and something for every route to change. */
export const guardedWorld: Fixture = {
  ...records,
  tokens: [
    { token: "good", permissions: ["*"] },
    { token: "off", permissions: ["*"], enabled: false },
    { token: "old", permissions: ["*"], expires: NOW },
  ],
  faults: [{ latency: 0 }],
};

/** The id of a record of each kind in `records`. */
const ids = {
  apis: "api_one",
  keys: "key_1",
  identities: "id_1",
  roles: "role_1",
  permissions: "perm_1",
  ratelimitNamespaces: "rlns_1",
  migrations: "mig_1",
};

interface Use {
  readonly call: string;
  readonly status: number;
  readonly body?: object;
  readonly isOpen?: boolean;
  /** Whether a token that may only watch may make it. */
  readonly isForWatching?: boolean;
}

/** A valid call of every route whose reply ends. */
export const uses: readonly Use[] = [
  { call: "GET /health", status: 200, isOpen: true },
  { call: "GET /ready", status: 200, isOpen: true },
  { call: "POST /reset", status: 204 },
  { call: "GET /workspace", status: 200, isForWatching: true },
  ...Object.entries(ids).flatMap(([kind, id]) => [
    { call: `GET /${kind}`, status: 200, isForWatching: true },
    { call: `GET /${kind}/${id}`, status: 200, isForWatching: true },
  ]),
  { call: "GET /key-limits/key_1", status: 200, isForWatching: true },
  { call: "GET /used-limits", status: 200, isForWatching: true },
  { call: "POST /keys/find", status: 200, body: { value: "value_of_1" }, isForWatching: true },
  { call: "GET /snapshot", status: 200 },
  { call: "PUT /snapshot", status: 204, body: { apis: [{ id: "api_other" }] } },
  { call: "POST /mark", status: 204 },
  { call: "POST /seed", status: 204, body: { apis: [{ id: "api_more" }] } },
  { call: "GET /requests", status: 200, isForWatching: true },
  { call: "GET /requests/count", status: 200, isForWatching: true },
  { call: "DELETE /requests", status: 204 },
  { call: "GET /findings", status: 200, isForWatching: true },
  { call: "DELETE /findings", status: 204 },
  { call: "GET /needed-permissions", status: 200 },
  { call: "GET /usage", status: 200, isForWatching: true },
  { call: "GET /faults", status: 200, isForWatching: true },
  { call: "POST /faults", status: 201, body: { status: 500 } },
  { call: "DELETE /faults", status: 204 },
  { call: "DELETE /faults/fault_1", status: 204 },
  { call: "GET /clock", status: 200, isForWatching: true },
  { call: "PUT /clock", status: 200, body: { advance: "1h" } },
  { call: "GET /openapi.json", status: 200, isOpen: true },
  { call: "GET /operations.json", status: 200, isOpen: true },
];
/** A valid call of every route, including the one that streams. */
export const routes: readonly Use[] = [
  ...uses,
  { call: "GET /events", status: 200, isForWatching: true },
];
export const reads = uses.map(({ call }) => call).filter((call) => call.startsWith("GET "));

export interface ControlOptions {
  /** A string or bytes are sent as they are. */
  readonly body?: object | string | undefined;
  readonly token?: string | null;
  /** Null sends none. */
  readonly host?: string | null;
  readonly origin?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Uses node:http, because `fetch` sets the host and the origin itself and normalizes the path. */
export function control(
  { port }: { readonly port: number },
  call: string,
  { body, headers: more, host, origin, token }: ControlOptions = {},
): Promise<Answer> {
  const [method = "", path = ""] = call.split(" ");
  const isRaw = body === undefined || typeof body === "string" || body instanceof Uint8Array;
  const headers = {
    ...(host && { Host: host }),
    ...(origin && { Origin: origin }),
    ...(token && { Authorization: `Bearer ${token}` }),
    ...more,
  };
  const target = { host: "127.0.0.1", port, method, path: `/_latchkey${path}`, headers };
  return new Promise((resolve, reject) => {
    const sent = request({ ...target, setHost: host !== null, agent: false }, (reply) => {
      let text = "";
      reply.setEncoding("utf8").on("data", (data) => (text += data));
      reply.on("end", () =>
        resolve({
          status: reply.statusCode ?? 0,
          headers: new Headers(reply.headers as Record<string, string>),
          body: text === "" ? undefined : JSON.parse(text),
        }),
      );
    });
    sent.on("error", reject).end(isRaw ? body : JSON.stringify(body));
  });
}

export async function serving(emulator: Emulator, options: Parameters<typeof serve>[1]) {
  const { close, port } = await serve(emulator, options);
  return { port, [Symbol.asyncDispose]: () => close({ grace: 0 }) };
}

export function create(served: Served, members: object = {}, token = "any"): Promise<Answer> {
  return createKey(served, { ...API_ONE, ...members }, { origin: served.url, token });
}

export async function list(served: Served, token = "any", apiId = "api_one"): Promise<object[]> {
  return (await listKeys(served, { apiId }, { origin: served.url, token })).body.keys;
}

/** Everything that control routes can change. */
export function stateOf(emulator: Emulator): unknown {
  const { clock, faults, requests } = emulator;
  const time = [clock.now(), clock.isFrozen];
  return JSON.parse(
    JSON.stringify([emulator.snapshot(), time, faults.list(), faults.pending(), requests.list()]),
  );
}

/** Returns a function that counts the listeners of a journal, like calls that wait. */
export function countingListeners({ requests }: Pick<Emulator, "requests">): () => number {
  const journal = requests as Journal;
  const listen = journal.listen.bind(journal);
  let count = 0;
  vi.spyOn(journal, "listen").mockImplementation((listener) => {
    const stop = listen(listener);
    count += 1;
    return () => {
      count -= 1;
      return stop();
    };
  });
  return () => count;
}

export function idsOf({ body, headers }: Answer): unknown {
  return [body, headers.get("unkey-request-id")];
}

/** Expects no CORS headers, so that no page of another origin can read the answer. */
export function expectUnshared({ headers }: Answer): void {
  const names = [...headers.keys()].filter((name) => name.startsWith("access-control-"));
  expect(names).toEqual([]);
}

/** How the OpenAPI document names the route of a call. */
export function described(call: string): string {
  return call.replace(/\/[a-z]+_(?:1|one)$/, "/{id}").replace("/", "/_latchkey/");
}
