import { toHeaderText } from "../api/errors.ts";
import type { Effect } from "../faults/fault-schema.ts";
import type { Piece } from "./operations/operation.ts";
import { concatenate } from "../base/concatenate.ts";

/** A reply, independent of the transport. */
export class PlainReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /**
   * The body, in pieces that are sent in this order. A page of keys consists of a few slices of cached
   * JSON, which are sent without a copy.
   */
  readonly pieces: readonly Piece[];
  /**
   * The effect of a fault on the connection: `drop` closes it without a reply, `truncate` after half of the
   * body. With `hang`, the service keeps the reply. Undefined for a normal reply.
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

  with(changes: Partial<Omit<PlainReply, "body" | "with">>): PlainReply {
    const { status, headers, pieces, effect } = { ...this, ...changes };
    return new PlainReply(status, headers, pieces, effect);
  }
}

/** A stream of server-sent events. It ends when the client disconnects or the server is closed. */
export class EventReply extends PlainReply {
  /** The texts of the events, in order. They end when the signal is aborted. */
  readonly events: (signal: AbortSignal) => AsyncIterable<string>;

  constructor(headers: PlainReply["headers"], events: EventReply["events"]) {
    super(200, headers, []);
    this.events = events;
  }
}

/** Text pieces are short and ASCII, for which a loop is faster than a `TextEncoder`. */
function encodeAscii(piece: Piece): Uint8Array {
  if (typeof piece !== "string") return piece;
  const bytes = new Uint8Array(piece.length);
  for (let index = 0; index < piece.length; index += 1) bytes[index] = piece.charCodeAt(index);
  return bytes;
}

function lengthOf(pieces: readonly Piece[]): number {
  let length = 0;
  for (const piece of pieces) length += piece.length;
  return length;
}

/** The body of a reply with the effect `truncate`. */
export function firstHalf({ body }: PlainReply): Uint8Array {
  return body.subarray(0, body.length >> 1);
}

/** Lists the headers that pages of other origins may read. */
const EXPOSED = "Access-Control-Expose-Headers";
/**
 * CORS: pages of any origin may call operations, and read the request id of the reply. In v2, the id is
 * only in the body, so this names a missing header.
 */
const crossOrigin = {
  "Access-Control-Allow-Origin": "*",
  [EXPOSED]: "Unkey-Request-Id",
};
const encoder = new TextEncoder();

export function replyOf(
  status: number,
  contentType: string,
  pieces: readonly Piece[],
  more?: Readonly<Record<string, string>>,
): PlainReply {
  const headers = {
    "Content-Type": contentType,
    "Content-Length": String(lengthOf(pieces)),
    ...crossOrigin,
    ...more,
  };
  return new PlainReply(status, headers, pieces);
}

export function withHint(reply: PlainReply, hint: string): PlainReply {
  const { "X-Latchkey-Hint": former } = reply.headers;
  const all = former === undefined ? hint : `${former}; ${hint}`;
  return withHeaders(reply, { "X-Latchkey-Hint": toHeaderText(all) });
}

/**
 * A copy of the reply with more headers, which pages of other origins can read too. Each replaces a
 * header whose name differs only in case, or the reply would have it twice.
 */
export function withHeaders(
  reply: PlainReply,
  headers: Readonly<Record<string, string>>,
): PlainReply {
  const names = Object.keys(headers);
  if (names.length === 0) return reply;
  const { [EXPOSED]: former = "" } = reply.headers;
  const replaced = new Set(names.map((name) => name.toLowerCase()));
  const isKept = (name: string) => !replaced.has(name.toLowerCase());
  const kept = Object.entries(reply.headers).filter(([name]) => isKept(name));
  const exposed = [...former.split(", ").filter(isKept), ...names].join(", ");
  return reply.with({ headers: { ...Object.fromEntries(kept), [EXPOSED]: exposed, ...headers } });
}

/**
 * Allows the page's origin instead of `*`, which browsers refuse for a call with credentials. latchkey
 * itself reads no cookies.
 */
export function withOrigin(reply: PlainReply, origin: string): PlainReply {
  if (reply.headers["Access-Control-Allow-Origin"] !== "*") return reply;
  const { Vary: former } = reply.headers;
  const headers = {
    ...reply.headers,
    "Access-Control-Allow-Origin": origin,
    "Access-Control-Allow-Credentials": "true",
    Vary: former === undefined ? "Origin" : `${former}, Origin`,
  };
  return reply.with({ headers });
}

/** The reply to a CORS preflight. It allows these methods and all headers that the browser asks for. */
export function preflightReply(
  requestId: string,
  methods: readonly string[],
  requestedHeaders: string | undefined,
): PlainReply {
  const headers = {
    ...crossOrigin,
    "Unkey-Request-Id": requestId,
    "Access-Control-Allow-Methods": methods.join(", "),
    ...(requestedHeaders ? { "Access-Control-Allow-Headers": requestedHeaders } : {}),
    Vary: "Access-Control-Request-Headers",
  };
  return new PlainReply(204, headers, []);
}

export function applyEffect(reply: PlainReply, effect: Effect | undefined): PlainReply {
  if (effect !== "malformed") return effect === undefined ? reply : reply.with({ effect });
  // With this prefix, no body is valid JSON.
  const pieces = ["}", ...reply.pieces];
  const headers = { ...reply.headers, "Content-Length": String(lengthOf(pieces)) };
  return reply.with({ headers, pieces });
}

/** The reply to HEAD: the same headers without the body. */
export function withoutBody(reply: PlainReply): PlainReply {
  // Without a body, there is nothing to truncate.
  const effect = reply.effect === "truncate" ? undefined : reply.effect;
  return reply.with({ pieces: [], effect });
}

/** ASCII text up to this length stays a string, because Node then sends it with the headers in one write. */
const MAX_STRING_LENGTH = 1_000;
// oxlint-disable-next-line no-control-regex -- all of ASCII
const ASCII = /^[\x00-\x7f]*$/;

/** The text of a body; undefined is what `JSON.stringify` returns for a value that JSON cannot hold. */
export function toPieces(text: string | undefined): readonly Piece[] {
  if (text === undefined)
    throw new TypeError("an operation returned a value that JSON cannot hold");
  return [text.length <= MAX_STRING_LENGTH && ASCII.test(text) ? text : encoder.encode(text)];
}
