import type { Lifetime } from "../base/lifetime.ts";
import { versionNames, versions } from "../api/version.ts";

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
   * Why the request may come from another machine, for the error message of control routes, like
   * `comes from 192.0.2.1`. Undefined if it comes from this machine, or if no other can reach the server.
   */
  readonly remoteReason?: string | undefined;
  /** Ends delays by faults when the server has waited long enough for its end. Undefined without a server. */
  readonly doorLifetime?: Lifetime | undefined;
  /**
   * Makes a lifetime that ends when the client leaves; that of a control request ends too when the server
   * is closed. A function, because few requests wait. Undefined if nobody can tell that the client left.
   */
  readonly clientLifetime?: (() => Lifetime) | undefined;
}

export interface Credentials {
  readonly authorization: string | undefined;
  /** The bearer token in it; undefined if the header is absent or of another form. */
  readonly token: string | undefined;
}

/** The bytes of the body; `"too large"` if there are more than `maxBodyOf` the path. */
export type Body = Uint8Array | "too large";

/**
 * The web page sends this header with the value `true`, so that its calls do not disturb a test. Faults,
 * journal and log ignore such a call. It uses up no request id, and no other call can notice it.
 */
export const UNSEEN_HEADER = "x-latchkey-unseen";

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

/** The prefix of all control routes. No operation may have a path under it. */
export const CONTROL_PATH = "/_latchkey";

export function isControlPath(path: string): boolean {
  return path === CONTROL_PATH || path.startsWith(`${CONTROL_PATH}/`);
}

/** The prefix of the files of the web page. The page itself is at `/` too. */
export const PAGE_PATH = `${CONTROL_PATH}/ui`;

/**
 * For routes that take a whole snapshot or fixture. A larger one can be read from a file. While a body is
 * parsed, all other requests wait: 0.1 s for 10 MB. So less is taken from the token of an isolated world,
 * which may be that of any visitor.
 */
const MAX_FIXTURE_BYTES = { all: 64 * 1_048_576, own: 4 * 1_048_576 };
/** The most that any version of the interface accepts. Each refuses a body over its own maximum. */
const MAX_BYTES = Math.max(...versionNames.map((name) => versions[name].maxBodyBytes));

/**
 * How much of a body is read for this path, in bytes.
 * @param scope what the request may control: its isolated world, all, or nothing
 */
export function maxBodyOf(path: string, scope: "own" | "all" | undefined): number {
  const takesFixture = path === `${CONTROL_PATH}/snapshot` || path === `${CONTROL_PATH}/seed`;
  return takesFixture && scope !== undefined ? MAX_FIXTURE_BYTES[scope] : MAX_BYTES;
}
