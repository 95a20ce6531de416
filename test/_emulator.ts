import {
  createEmulator,
  type Emulator,
  type EmulatorOptions,
  type Fixture,
  type LogEntry,
} from "../src/index.ts";
import { expectingFindings } from "./_on-purpose.ts";

/** The time at which the clock is frozen in most tests, in unix milliseconds. */
export const NOW = Date.UTC(2026, 0, 1);

/** The id of a request, which every answer has. */
export const REQUEST_ID = /^req_[1-9A-HJ-NP-Za-km-z]{16}$/;

/** One API without any key, and one that stores encrypted keys; any token may do everything. */
export const openWorld: Fixture = {
  workspace: { id: "ws_test" },
  apis: [{ id: "api_one" }, { id: "api_vault", storeEncryptedKeys: true }],
};

/**
 * An emulator with a fixed random seed and a frozen clock. The test fails if it makes mistakes of
 * clients that `_on-purpose.ts` does not name.
 */
export function givenEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  return createEmulator({
    fixtures: [openWorld],
    randomSeed: 1,
    now: NOW,
    ...options,
    log: expectingFindings(options.log),
  });
}

/** The same, with the warnings and the bugs that its log gets. */
export async function givenLogged(options: EmulatorOptions = {}) {
  const warnings: string[] = [];
  const bugs: Extract<LogEntry, { kind: "bug" }>[] = [];
  const log = (entry: LogEntry) => {
    if (entry.kind === "warning") warnings.push(entry.message);
    if (entry.kind === "bug") bugs.push(entry);
  };
  return { emulator: await givenEmulator({ ...options, log }), warnings, bugs };
}

/** Something that answers requests: the emulator itself, or a server somewhere. */
export interface Door {
  fetch(request: Request): Promise<Response>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // Tests read members of answers of every shape.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any;
}

export interface CallOptions {
  /** Null sends no token. */
  readonly token?: string | null;
  readonly headers?: Record<string, string>;
  readonly origin?: string;
}

const ORIGIN = "http://emulator.test";

export async function send(door: Door, request: Request): Promise<Answer> {
  const response = await door.fetch(request);
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: text === "" ? undefined : JSON.parse(text),
  };
}

/** POST keys.createKey, with a body as `post` takes it. */
export function createKey(door: Door, body: unknown, options?: CallOptions): Promise<Answer> {
  return post(door, "/v1/keys.createKey", body, options);
}

/** POST to the path of an operation; a string or bytes are sent as they are. */
export function post(
  door: Door,
  path: string,
  body: unknown,
  options: CallOptions = {},
): Promise<Answer> {
  const isRaw = typeof body === "string" || body instanceof Uint8Array;
  return send(
    door,
    new Request((options.origin ?? ORIGIN) + path, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...headersOf(options) },
      body: isRaw ? (body as string) : JSON.stringify(body),
    }),
  );
}

/** GET apis.listKeys; a string is the query as it is sent. */
export function listKeys(
  door: Door,
  query: string | Record<string, string | number | boolean>,
  options: CallOptions = {},
): Promise<Answer> {
  const text = typeof query === "string" ? query : toQuery(query);
  const url = `${options.origin ?? ORIGIN}/v1/apis.listKeys?${text}`;
  return send(door, new Request(url, { headers: headersOf(options) }));
}

/** Base64url of the text's UTF-8, as cursors are. */
export function base64url(text: string): string {
  const bytes = String.fromCodePoint(...new TextEncoder().encode(text));
  return btoa(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Every key of an API, page after page. */
export async function listAll(
  door: Door,
  query: Record<string, string | number | boolean>,
  options: CallOptions = {},
): Promise<{ id: string }[]> {
  const keys: { id: string }[] = [];
  for (let cursor = ""; ;) {
    const { body } = await listKeys(door, { ...query, cursor }, options);
    keys.push(...body.keys);
    if (body.cursor === undefined) return keys;
    cursor = body.cursor;
  }
}

function toQuery(query: Record<string, string | number | boolean>): string {
  const entries = Object.entries(query).map(([name, value]) => [name, String(value)] as const);
  return new URLSearchParams(Object.fromEntries(entries)).toString();
}

function headersOf({ token = "any_token", headers = {} }: CallOptions): Record<string, string> {
  return token === null ? headers : { Authorization: `Bearer ${token}`, ...headers };
}
