import type { Finding } from "../findings/findings.ts";
import type { TokenNeeds } from "../journal/needed-permissions.ts";
import type { RecordedRequest } from "../journal/recorded-request.ts";
import { type Call, callsTo } from "./calls.ts";
import type { ClockState } from "../control/route-schemas.ts";
import type {
  ConnectOptions,
  EmulatorClient,
  RemoteClock,
  RemoteFault,
  RemoteFaults,
  RemoteRecords,
  RemoteRequests,
} from "./emulator-client.ts";

export type { KeyFilter, RecordFilter } from "../control/record-routes.ts";
export type { ClockState } from "../control/route-schemas.ts";
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
 * @throws TypeError if the URL is none of HTTP, or a token has other characters than visible ASCII
 */
export function connect(url: string | URL, options: ConnectOptions = {}): EmulatorClient {
  const { controlToken, token } = options;
  const base = baseOf(url);
  const call = callsTo(base, controlToken ?? token);
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
    keys: {
      ...recordsOf(call, "keys"),
      findByValue: (value) => call("POST /keys/find", { body: { value }, mayMiss: true }),
    },
    apis: recordsOf(call, "apis"),
    identities: recordsOf(call, "identities"),
    roles: recordsOf(call, "roles"),
    permissions: recordsOf(call, "permissions"),
    ratelimitNamespaces: recordsOf(call, "ratelimitNamespaces"),
    migrations: recordsOf(call, "migrations"),
    usage: (query = {}) => call("GET /usage", { query: { ...query } }),
    reset: (resetOptions = {}) => call("POST /reset", { query: { ...resetOptions } }),
    seed: (fixture) => call("POST /seed", { body: fixture }),
    snapshot: () => call("GET /snapshot"),
    restore: (snapshot, { initial } = {}) =>
      call("PUT /snapshot", { body: snapshot, query: { initial } }),
    // The control token would reach the first workspace.
    workspace: (ownToken) => connect(base, { token: ownToken }),
  };
}

/** The URL without a slash at its end, query and fragment, as of the web page. */
function baseOf(url: string | URL): string {
  const text = String(url);
  const read = URL.canParse(text) ? new URL(text) : undefined;
  if (read?.protocol === "http:" || read?.protocol === "https:") {
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
    count: async (filter = {}) => (await ask(filter)).length,
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
