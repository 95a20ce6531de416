import { versionAt, versions } from "../contract/version.ts";
import { concatenate } from "../schema/concatenate.ts";
import type { Lifetime } from "../world/lifetime.ts";
import type { Piece } from "../operations/raw-json.ts";

/**
 * A request, independent of the transport. A "door" is an adapter that makes one of these from a socket
 * or a web `Request` and sends the reply back: HTTP, msw and `emulator.fetch`.
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
   * Set if the request possibly comes from another machine; control routes may refuse it then. It is
   * the end of a sentence of their error message, like `comes from 192.0.2.1`. Undefined if it comes
   * from this machine, or if other machines cannot reach the door.
   */
  readonly remote?: string | undefined;
  /** Ends when the door is closed; this ends the delays of faults too. Undefined if it never is. */
  readonly doorLifetime?: Lifetime | undefined;
}

/** The bytes of the body; `"too large"` if there are more than `maxBodyOf` the path. */
export type Body = Uint8Array | "too large";

/** The prefix of all control routes. No operation may have a path under it. */
export const CONTROL_PATH = "/_latchkey";

/**
 * The web page sends this header with the value `true`, so that its GET requests do not disturb a
 * test: faults, journal and log ignore such a request, it draws no request id and fills no cache.
 */
export const UNSEEN_HEADER = "x-latchkey-unseen";

/** For the routes that take a whole snapshot or fixture. Larger ones are read from files instead. */
const MAX_FIXTURE_BYTES = 32 * 1_048_576;

export function isControlPath(path: string): boolean {
  return path === CONTROL_PATH || path.startsWith(`${CONTROL_PATH}/`);
}

/** The prefix of the files of the web page. The page itself is at `/` too. */
export const PAGE_PATH = `${CONTROL_PATH}/ui`;

/** Whether the path can be that of a file of the web page. */
export function isPagePath(path: string): boolean {
  return path === "/" || path.startsWith(PAGE_PATH);
}

/**
 * The maximum length of a body sent to this path, in bytes.
 * @param mayControl whether the request may use control routes, of which some take long bodies
 */
export function maxBodyOf(path: string, mayControl = true): number {
  const takesFixture = path === `${CONTROL_PATH}/snapshot` || path === `${CONTROL_PATH}/seed`;
  if (takesFixture && mayControl) return MAX_FIXTURE_BYTES;
  return versions[versionAt(path) ?? "v1"].maxBodyBytes;
}

/** A reply, independent of the transport. */
export class PlainReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /**
   * The body, in pieces to be sent in order. A page of 100 keys consists of a few slices of cached
   * JSON; joining them would add half of the cost of sending them.
   */
  readonly pieces: readonly Piece[];
  /**
   * The effect of a fault on the connection: `drop` closes it without a reply, `hang` leaves it open
   * without a reply, `truncate` closes it after half of the body. Undefined for a normal reply.
   */
  readonly effect: "drop" | "hang" | "truncate" | undefined;

  constructor(
    status: number,
    headers: PlainReply["headers"],
    pieces: PlainReply["pieces"],
    effect?: PlainReply["effect"],
  ) {
    this.status = status;
    this.headers = headers;
    this.pieces = pieces;
    this.effect = effect;
  }

  /**
   * The whole body, joined on each access. It is empty for 204 and for HEAD, whose headers are still
   * those of the full reply.
   */
  get body(): Uint8Array {
    return concatenate(this.pieces.map(encodeAscii), lengthOf(this.pieces));
  }

  /** A copy of the reply with some members replaced. */
  with(changes: Partial<Omit<PlainReply, "body" | "with">>): PlainReply {
    const { status, headers, pieces, effect } = { ...this, ...changes };
    return new PlainReply(status, headers, pieces, effect);
  }
}

/** A stream of server-sent events, which lasts until the client disconnects or the door is closed. */
export class EventReply extends PlainReply {
  /** The text of the events, to be sent in order. They end when the signal is aborted. */
  readonly events: (signal: AbortSignal) => AsyncIterable<string>;

  constructor(headers: PlainReply["headers"], events: EventReply["events"]) {
    super(200, headers, []);
    this.events = events;
  }
}

/** A loop is faster here than a `TextEncoder`, because text pieces are short and ASCII. */
function encodeAscii(piece: Piece): Uint8Array {
  if (typeof piece !== "string") return piece;
  const bytes = new Uint8Array(piece.length);
  for (let index = 0; index < piece.length; index += 1) bytes[index] = piece.charCodeAt(index);
  return bytes;
}

/** The length of all pieces together, in bytes. */
export function lengthOf(pieces: readonly Piece[]): number {
  let length = 0;
  for (const piece of pieces) length += piece.length;
  return length;
}

/** The first half of the body, for the effect `truncate`. */
export function firstHalf({ body }: PlainReply): Uint8Array {
  return body.subarray(0, body.length >> 1);
}

/**
 * Splits a request target or URL into path and query, both as sent. The `URL` class would resolve dot
 * segments and encode characters, but routes are matched against the path as sent.
 */
export function splitTarget(target: string): { path: string; query: string } {
  // The fast case: a path and perhaps a query, without scheme, host and fragment.
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
