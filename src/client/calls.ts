import { isDate } from "../base/realm.ts";
import { errorsFrom } from "../base/errors-from.ts";

interface CallOptions {
  readonly query?: Readonly<Record<string, unknown>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Whether it resolves to undefined if the record does not exist. Default: it rejects. */
  readonly mayMiss?: boolean;
}

/** Calls a control route, like `GET /clock`, and resolves to the JSON of the answer. */
export type Call = <Answer>(route: string, options?: CallOptions) => Promise<Answer>;

/** The body of an error reply of a control route. */
interface Refusal {
  readonly error?: { readonly message?: string; readonly problems?: unknown };
}

/** What the header can carry. For any other token, the Error of `fetch` would show it. */
const TOKEN = /^[!-~]*$/;

const MAYBE_FOREIGN = "A page of another origin needs --allow-origin.";

/**
 * Calls the control routes of the emulator at this URL, with this token.
 * @throws TypeError for a token that no request can carry
 */
export function callsTo(url: string, token: string | undefined): Call {
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
        // A browser does not tell a page why it may not read an answer.
        const hint = "location" in globalThis ? ` ${MAYBE_FOREIGN}` : "";
        throw failure(`no answer from latchkey at ${url}: is it running there?${hint}`, { cause });
      });
    const answer = read(content);
    if (status < 300 && (answer !== undefined || content === "")) return answer as Answer;
    const { error } = (answer ?? {}) as Refusal;
    // The 404 of a server without control routes has no `problems`.
    if (mayMiss && status === 404 && error?.problems !== undefined) return undefined as Answer;
    throw failure(
      error?.message ?? `expected control routes of latchkey at ${url}, got the status ${status}`,
    );
  };
}

/**
 * Keeps calls to this machine from the proxy that Node takes from its variables with NODE_USE_ENV_PROXY:
 * they carry a token. `fetch` has its dispatcher under this symbol.
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

/** @throws TypeError for what JSON would leave out: the `match` of a fault or a filter would match more calls */
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
