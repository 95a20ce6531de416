import type { Finding } from "../../world/findings/findings.ts";
import type { TokenNeeds } from "../../world/journal/needed-permissions.ts";
import type { RecordedRequest } from "../../world/journal/recorded-request.ts";
import type { RecordFilter } from "../record-routes.ts";
import type { ClockState } from "../route-schemas.ts";
import type {
  ConnectOptions,
  EmulatorClient,
  RemoteClock,
  RemoteFault,
  RemoteFaults,
  RemoteRecords,
  RemoteRequests,
} from "./emulator-client.ts";
import { mapKinds } from "../../state/records/kind-names.ts";
import { isDate } from "../../base/realm.ts";
import { errorsFrom } from "../../base/errors-from.ts";

interface CallOptions {
  readonly query?: Readonly<Record<string, unknown>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Whether it resolves to undefined if the record does not exist. Default: it rejects. */
  readonly mayMiss?: boolean;
}

/** Calls a control route, like `GET /clock`, and resolves to the JSON of the answer. */
type Call = <Answer>(route: string, options?: CallOptions) => Promise<Answer>;

interface Refusal {
  readonly error?: {
    readonly message?: string;
    /** Sent instead of the message if no control routes are served. */
    readonly detail?: string;
    readonly problems?: unknown;
  };
}

/** Tokens that a header can carry. The error of `fetch` would show any other token. */
const TOKEN = /^[!-~]*$/;

const MAYBE_FOREIGN = "A page of another origin needs --allow-origin, or allowOrigins of serve.";

/**
 * Calls the control routes of the emulator at this URL, with this token.
 * @throws TypeError for a token that no request can carry
 */
function callsTo(url: string, token: string | undefined): Call {
  if (token !== undefined && !TOKEN.test(token)) {
    throw new TypeError("connect: token: expected visible ASCII characters");
  }
  const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  return async function call<Answer>(
    route: string,
    { body, mayMiss = false, query = {} }: CallOptions = {},
  ) {
    const failure = errorsFrom(call);
    const [method = "", path = ""] = route.split(" ");
    const target = new URL(`${url}/_latchkey${path}`);
    for (const [name, value] of Object.entries(query)) {
      if (name === "match") checkMatch(value);
      if (value !== undefined) target.searchParams.set(name, textOf(value));
    }
    // A promise, like that of `loadFixture`, would be sent as an empty object.
    const text = body === undefined ? null : toJson(await body);
    const init = { method, headers, body: text, ...direct(target) };
    const { content, status } = await fetch(target, init)
      .then(async (response) => ({ content: await response.text(), status: response.status }))
      .catch((cause: unknown) => {
        // A browser does not say why a page may not read an answer.
        const hint = "location" in globalThis ? ` ${MAYBE_FOREIGN}` : "";
        throw failure(`no answer from latchkey at ${url}: is it running there?${hint}`, { cause });
      });
    const answer = read(content);
    if (status < 300 && (answer !== undefined || content === "")) return answer as Answer;
    const { error } = (answer ?? {}) as Refusal;
    // The 404 of a server without control routes has no `problems`.
    if (mayMiss && status === 404 && error?.problems !== undefined) return undefined as Answer;
    throw failure(
      error?.message ??
        error?.detail ??
        `expected control routes of latchkey at ${url}, got the status ${status}`,
    );
  };
}

/**
 * Sends calls to this machine past the proxy that Node uses with NODE_USE_ENV_PROXY, because they carry a
 * token. `fetch` has its dispatcher under this symbol.
 */
function direct({ hostname }: URL): object {
  const { constructor: Dispatcher } = (globalThis as Dispatchers)[DISPATCHER] ?? {};
  const isProxied = Dispatcher?.name === "EnvHttpProxyAgent";
  if (!isProxied || !LOOPBACK.test(hostname)) return {};
  dispatcher ??= new (Dispatcher as new (options: object) => object)({ noProxy: "*" });
  return { dispatcher };
}

let dispatcher: object | undefined;
const DISPATCHER = Symbol.for("undici.globalDispatcher.1");
type Dispatchers = { readonly [DISPATCHER]?: object };
const LOOPBACK = /^(?:(?:.+\.)?localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

function toJson(body: unknown): string {
  return JSON.stringify(body, (name, member: unknown) => {
    if (name === "match") checkMatch(member);
    return member;
  });
}

/**
 * @throws TypeError for values that JSON would leave out: the `match` of a fault or a filter would match
 *   more calls
 */
function checkMatch(match: unknown): void {
  if (match === undefined) return;
  JSON.stringify(match, (_, member: unknown) => {
    if (member !== undefined && typeof member !== "function") return member;
    throw new TypeError(
      "match: expected an object of values that JSON can hold; a function works only in the process of the emulator",
    );
  });
}

function textOf(value: unknown): string {
  if (isDate(value)) return String(value.toJSON());
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** Undefined if the text is no JSON. */
function read(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export type { KeyFilter, RecordFilter } from "../record-routes.ts";
export type { ClockState } from "../route-schemas.ts";
export type {
  ConnectOptions,
  EmulatorClient,
  RemoteClock,
  RemoteFault,
  RemoteFaultInit,
  RemoteFaults,
  RemoteFilter,
  RemoteFindings,
  RemoteKey,
  RemoteKeys,
  RemoteRecords,
  RemoteRequests,
} from "./emulator-client.ts";

/**
 * Makes a client that controls a running latchkey over its control routes, with the names of the methods
 * in process. It opens no connection until a method is called. Each method rejects with an Error that
 * has the message of the control route, and a stack with the line that called it.
 * @param url where latchkey listens, like `http://localhost:4010`; with the path prefix of a proxy
 * @throws TypeError if it is no HTTP URL, or a token has other characters than visible ASCII
 */
export function connect(url: string | URL, options: ConnectOptions = {}): EmulatorClient {
  const { controlToken, token } = options;
  const base = baseOf(url);
  const call = callsTo(base, controlToken ?? token);
  const { tokens: _, ...collections } = mapKinds((kind) =>
    recordsOf<never, RecordFilter>(call, kind),
  );
  return {
    url: base,
    clock: clockOf(call),
    faults: faultsOf(call),
    requests: requestsOf(call),
    findings: {
      list: async () => (await call<{ findings: Finding[] }>("GET /findings")).findings,
      clear: () => call("DELETE /findings"),
    },
    neededPermissions: async (needsOptions = {}) => {
      const query = { ...needsOptions };
      return (await call<{ tokens: TokenNeeds[] }>("GET /needed-permissions", { query })).tokens;
    },
    ...collections,
    keys: {
      ...recordsOf(call, "keys"),
      findByValue: (value) => call("POST /keys/find", { body: { value }, mayMiss: true }),
    },
    usage: (query = {}) => call("GET /usage", { query: { ...query } }),
    reset: (resetOptions = {}) => call("POST /reset", { query: { ...resetOptions } }),
    mark: () => call("POST /mark"),
    seed: (fixture) => call("POST /seed", { body: fixture }),
    snapshot: () => call("GET /snapshot"),
    restore: (snapshot, { initial } = {}) =>
      call("PUT /snapshot", { body: snapshot, query: { initial } }),
    // Without the control token, which would reach the first workspace.
    workspace: (ownToken) => connect(base, { token: ownToken }),
  };
}

/** The URL without query, fragment and the slash at its end. It may be the URL of the web page. */
function baseOf(url: string | URL): string {
  const text = String(url);
  const read = URL.canParse(text) ? new URL(text) : undefined;
  const isHttp = read?.protocol === "http:" || read?.protocol === "https:";
  if (isHttp && !read.hostname.includes("*")) {
    return read.origin + read.pathname.replace(/\/+$/, "");
  }
  throw new TypeError(
    `connect: expected the URL of a running latchkey, like http://localhost:4010, got ${text}`,
  );
}

function clockOf(call: Call): RemoteClock {
  const change = (body: object) => call<ClockState>("PUT /clock", { body });
  return {
    get: () => call("GET /clock"),
    set: (now) => change({ now }),
    advance: (duration) => change({ advance: duration }),
    freeze: () => change({ frozen: true }),
    resume: () => change({ frozen: false }),
  };
}

function faultsOf(call: Call): RemoteFaults {
  const list = async (query: object = {}) =>
    (await call<{ faults: RemoteFault[] }>("GET /faults", { query: { ...query } })).faults;
  return {
    add: (init) => call("POST /faults", { body: init }),
    list: () => list(),
    pending: () => list({ pending: true }),
    remove: ({ id }) => call(`DELETE /faults/${encodeURIComponent(id)}`),
    clear: () => call("DELETE /faults"),
  };
}

function requestsOf(call: Call): RemoteRequests {
  const ask = async (filter: object, more: object = {}) => {
    const query = { ...filter, ...more };
    return (await call<{ requests: RecordedRequest[] }>("GET /requests", { query })).requests;
  };
  return {
    list: (filter = {}) => ask(filter),
    find: async (filter = {}) => (await ask(filter))[0],
    count: async (filter = {}) => {
      const query = { ...filter };
      return (await call<{ count: number }>("GET /requests/count", { query })).count;
    },
    clear: () => call("DELETE /requests"),
    waitFor: (filter, timeout = 5_000) =>
      ask(filter, { wait: timeout }) as ReturnType<RemoteRequests["waitFor"]>,
  };
}

/** How many records are fetched at once. */
const PAGE = 1_000;

function recordsOf<Item, Filter extends object>(
  call: Call,
  name: string,
): RemoteRecords<Item, Filter> {
  return {
    async all(filter) {
      const found: Item[] = [];
      let cursor: unknown;
      do {
        const query = { ...filter, limit: PAGE, cursor };
        const page = await call<Record<string, unknown>>(`GET /${name}`, { query });
        found.push(...(page[name] as Item[]));
        cursor = page["cursor"];
      } while (cursor !== undefined);
      return found;
    },
    get: (id) => call(`GET /${name}/${encodeURIComponent(id)}`, { mayMiss: true }),
  };
}
