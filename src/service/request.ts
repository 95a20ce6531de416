import type { Lifetime } from "../base/lifetime.ts";
import { versionNames, versions } from "../api/version.ts";
import { type ApiError, badRequest } from "../api/errors.ts";
import { wholeOrLength } from "../base/wording/text.ts";
import { isError } from "../base/realm.ts";

/**
 * A request, independent of the transport. The HTTP server makes one from a socket, `emulator.fetch` and
 * the msw handlers from a web `Request`. The glossary calls these three the doors.
 */
export interface PlainRequest {
  readonly method: string;
  /** As sent, without the query: nothing is decoded or normalised. */
  readonly path: string;
  /** As sent, without the question mark. */
  readonly query: string;
  /** The value of a header; `name` is in lower case. */
  header(name: string): string | undefined;
  readonly body: Body;
  /**
   * Why the request may come from another machine, and what to do, for the error message of control
   * routes. Undefined if it comes from this machine.
   */
  readonly remoteReason?: string | undefined;
  /** Ends delays by faults when the server has waited long enough for its end. Undefined without a server. */
  readonly doorLifetime?: Lifetime | undefined;
  /**
   * Makes a lifetime that ends when the client leaves. With `orClosing`, it ends too when the server begins
   * to close. A function, because few requests wait. Undefined if the door cannot notice that the client left.
   */
  readonly clientLifetime?: ((options?: { readonly orClosing: true }) => Lifetime) | undefined;
}

export interface Credentials {
  readonly authorization: string | undefined;
  /** The bearer token in it; undefined if the header is absent or of another form. */
  readonly token: string | undefined;
}

/** The bytes of the body; for a longer one, only the limit that it exceeded. */
export type Body = Uint8Array | { readonly tooLarge: number };

/**
 * The bytes of a body of up to `max` bytes.
 * @param refusal creates the refusal of a longer body from the limit
 */
export function bytesOf(body: Body, max: number, refusal: (max: number) => ApiError): Uint8Array {
  if ("tooLarge" in body) throw refusal(Math.min(max, body.tooLarge));
  if (body.length > max) throw refusal(max);
  return body;
}

/**
 * The web page sends this header with the value `true`, so that its calls do not disturb a test. Faults,
 * journal and log ignore such a call. It uses up no request id, and no other call can notice it.
 */
export const UNSEEN_HEADER = "x-latchkey-unseen";

/** The fixed request id of unseen requests, so that they do not advance the sequence of ids. */
export const UNSEEN_ID = `req_${"1".repeat(16)}`;

/**
 * Splits a request target or URL into path and query, both as sent. Not with the `URL` class, which
 * resolves dot segments and encodes characters: paths are compared as they were sent.
 */
export function splitTarget(target: string): { path: string; query: string } {
  // The usual case: a path and perhaps a query, without scheme, host and fragment.
  if (target.startsWith("/") && !target.includes("#")) {
    const end = target.indexOf("?");
    return end === -1
      ? { path: target, query: "" }
      : { path: target.slice(0, end), query: target.slice(end + 1) };
  }
  const [, path = "", query = ""] =
    /^(?:[a-z][a-z0-9+.-]*:\/\/[^/?#]*)?([^?#]*)\??([^#]*)/i.exec(target) ?? [];
  return { path: path === "" ? "/" : path, query };
}

/** The host of a `Host` header in lower case, without port, final dot and the brackets of an address. */
export function hostnameOf(host: string): string {
  const name = /^\[([^\]]*)\]/.exec(host)?.[1] ?? host.replace(/:\d*$/, "");
  return name.replace(/\.$/, "").toLowerCase();
}

/** The prefix of all control routes. No operation may have a path under it. */
export const CONTROL_PATH = "/_latchkey";

export function isControlPath(path: string): boolean {
  return path === CONTROL_PATH || path.startsWith(`${CONTROL_PATH}/`);
}

/** The prefix of the files of the web page. The page itself is at `/` too. */
export const PAGE_PATH = `${CONTROL_PATH}/ui`;

/**
 * For routes that take a whole snapshot or fixture. A larger one can be read from a file. While a body is
 * parsed, all other requests wait: 0.1 s for 10 MB. So the limit is lower for the token of an isolated
 * world, because any visitor may have one.
 */
const MAX_FIXTURE_BYTES = { all: 64 * 1_048_576, own: 4 * 1_048_576 };
/** The largest maximum of the versions of the interface. Each version refuses a body over its maximum. */
export const MAX_BODY_BYTES = Math.max(...versionNames.map((name) => versions[name].maxBodyBytes));

/**
 * How much of a body is read for this path, in bytes.
 * @param scope what the request may control: its isolated world, all, or nothing
 */
export function maxBodyOf(path: string, scope: "own" | "all" | undefined): number {
  const takesFixture = path === `${CONTROL_PATH}/snapshot` || path === `${CONTROL_PATH}/seed`;
  return takesFixture && scope !== undefined ? MAX_FIXTURE_BYTES[scope] : MAX_BODY_BYTES;
}

/**
 * Reads the parameters of a query.
 * @param prefix put before the name of a parameter in error messages
 * @throws ApiError BAD_REQUEST for a parameter that is sent twice or cannot be decoded
 */
export function readQuery(query: string, prefix = ""): Record<string, string> {
  const parameters: Record<string, string> = Object.create(null);
  // Few queries need to be decoded, which is slow.
  const isEncoded = ENCODED.test(query);
  for (const pair of query.split("&")) {
    if (pair === "") continue;
    const separator = pair.indexOf("=");
    const rawName = separator === -1 ? pair : pair.slice(0, separator);
    const name = isEncoded ? decode(rawName, "query") : rawName;
    if (name in parameters) {
      throw badRequest(
        `${prefix}${wholeOrLength(name, SHOWN_CHARACTERS)}: expected once, got it more than once`,
      );
    }
    const value = separator === -1 ? "" : pair.slice(separator + 1);
    parameters[name] = isEncoded
      ? decode(value, `${prefix}${wholeOrLength(name, SHOWN_CHARACTERS)}`)
      : value;
  }
  return parameters;
}

/** Clients choose the names of parameters. */
const SHOWN_CHARACTERS = 100;
const ENCODED = /[%+]/;

/** Not `URLSearchParams`, which accepts invalid percent-encoding. The service refuses it. */
function decode(text: string, place: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    throw badRequest(`${place}: expected percent-encoding that decodes as UTF-8`);
  }
}

const decoder = new TextDecoder("utf-8", { fatal: true });

/** Why the bytes of a body are not JSON, or are not parsed. */
export type JsonProblem =
  | "nothing"
  | "malformed JSON"
  | "bytes that are not UTF-8"
  | "too deep"
  | "too many values";

type JsonBody =
  | { readonly value: unknown; readonly problem?: undefined }
  | { readonly problem: JsonProblem };

/** Bodies up to this size are always parsed: even with the deepest nesting, they take little memory. */
const SMALL_BYTES = 1_048_576;
/**
 * `meta` may have 100 levels, and a fixture adds fewer than 100 around it. A large body with deeper JSON
 * could take very much memory.
 */
export const MAX_DEPTH = 200;
/**
 * The maximum number of values in a body: the body itself, each member of an object and each item of a
 * list, at every depth. The service has no such limit. Here, all other requests wait while a body is
 * parsed and checked, and millions of values fit into 10 MiB.
 */
const MAX_VALUES = 100_000;
/** A body with more values has more bytes, because each value takes at least one byte and a comma. */
const MANY_BYTES = 2 * MAX_VALUES;

/** The number is written out, because `toLocaleString` would load data for languages. */
export const EXPECTED_VALUES =
  "at most 100,000 JSON values, counting every member of an object and every item of an array";

/**
 * Parses the JSON of a body. The message of `JSON.parse` is not part of the result, because it quotes
 * the body, which may contain a secret.
 * @param isControl whether it is the body of a control route, which may have any number of values
 */
export function parseJson(body: Uint8Array, isControl = false): JsonBody {
  if (body.length === 0) return { problem: "nothing" };
  // A short body of an operation can have neither too many levels nor too many values.
  const problem = isControl || body.length > MANY_BYTES ? excessOf(body, isControl) : undefined;
  if (problem !== undefined) return { problem };
  try {
    return { value: JSON.parse(withoutLoneSurrogates(decoder.decode(body))) };
  } catch (error) {
    const isSyntax = isError(error) && error.name === "SyntaxError";
    return { problem: isSyntax ? "malformed JSON" : "bytes that are not UTF-8" };
  }
}

/** An escape of JSON: a pair of surrogates, then half a pair, then any other. */
const ESCAPES =
  /\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|(u[dD][89a-fA-F][\da-fA-F]{2})|.)/gs;
const SURROGATE = /\\u[dD][89a-fA-F]/;

/** Half a pair of surrogates becomes U+FFFD, as in Go. */
function withoutLoneSurrogates(json: string): string {
  if (!SURROGATE.test(json)) return json;
  return json.replaceAll(ESCAPES, (escape, half) => (half === undefined ? escape : "\\ufffd"));
}

/** Whether a body has too many levels or values to be parsed; undefined if it has not. */
function excessOf(
  body: Uint8Array,
  isControl: boolean,
): "too deep" | "too many values" | undefined {
  const maxDepth = isControl || body.length > SMALL_BYTES ? MAX_DEPTH : Infinity;
  const maxValues = isControl ? Infinity : MAX_VALUES;
  let depth = 0;
  let values = 1;
  /** Whether a bracket was just opened. */
  let isOpened = false;
  for (let index = 0; index < body.length; index += 1) {
    const byte = body[index] as number;
    if (byte <= SPACE) continue;
    const isClosing = byte === CLOSING_BRACKET || byte === CLOSING_BRACE;
    // The first value of a list or object. Each other value comes after a comma.
    if ((isOpened && !isClosing) || byte === COMMA) values += 1;
    isOpened = byte === OPENING_BRACKET || byte === OPENING_BRACE;
    if (isOpened) depth += 1;
    else if (isClosing) depth -= 1;
    else if (byte === QUOTE) index = endOfText(body, index);
    if (depth > maxDepth) return "too deep";
    if (values > maxValues) return "too many values";
  }
  return undefined;
}

/** The position of the quote that ends a string, or of the end of the body. */
function endOfText(body: Uint8Array, start: number): number {
  let index = start + 1;
  while (index < body.length && body[index] !== QUOTE) index += body[index] === BACKSLASH ? 2 : 1;
  return index;
}

/** Bytes up to this one are white space, or no JSON. */
const SPACE = 0x20;
const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPENING_BRACKET, OPENING_BRACE] = [0x5b, 0x7b];
const [CLOSING_BRACKET, CLOSING_BRACE] = [0x5d, 0x7d];
