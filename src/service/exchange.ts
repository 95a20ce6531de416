import { concatenate } from "../schema/concatenate.ts";
import type { Lifetime } from "../world/lifetime.ts";
import type { Piece } from "../operations/raw-json.ts";

/**
 * A request as the emulator sees it, whatever door it came through. A door is code that makes one
 * of these from a socket or a web `Request` and carries the reply back.
 */
export interface PlainRequest {
  readonly method: string;
  /** As sent, without the query: nothing is decoded or normalised. */
  readonly path: string;
  /** As sent, without the question mark. */
  readonly query: string;
  header(name: string): string | undefined;
  readonly body: Body;
  /**
   * For control routes: why the request may come from another machine, as the end of a sentence, like
   * `comes from 192.0.2.1`. Undefined where it comes from this one, or no other can reach the door.
   */
  readonly remote?: string | undefined;
  /** Of a door that can be closed: nobody waits for the reply then, so no delay goes on. */
  readonly door?: Lifetime | undefined;
}

/** `"too large"` for a body over `maxBodyOf` its path, which a door does not keep. */
export type Body = Uint8Array | "too large";

/** The service takes bodies of up to 1 MiB. */
export const MAX_BODY_BYTES = 1_048_576;

/** Control routes stand here, and no operation does. */
export const CONTROL_PATH = "/_latchkey";

/**
 * A GET with this header, `true`, is left out of what is tested: no fault strikes it, no journal
 * or log holds it, it draws no request id and fills no cache. With it one looks without being seen.
 */
export const UNSEEN_HEADER = "x-latchkey-unseen";

/** A snapshot may be put in place by one request; a larger world is started from a file. */
const MAX_CONTROL_BYTES = 32 * 1_048_576;

export function isControlPath(path: string): boolean {
  return path === CONTROL_PATH || path.startsWith(`${CONTROL_PATH}/`);
}

/** What the page to look at is made of stands here; the page itself also at `/`. */
export const PAGE_PATH = `${CONTROL_PATH}/ui`;

/** Whether the page, or a part of it, may be there. */
export function isPagePath(path: string): boolean {
  return path === "/" || path.startsWith(PAGE_PATH);
}

/** The most that a door reads of the body of a request to this path. */
export function maxBodyOf(path: string): number {
  const isWorld = path === `${CONTROL_PATH}/snapshot` || path === `${CONTROL_PATH}/seed`;
  return isWorld ? MAX_CONTROL_BYTES : MAX_BODY_BYTES;
}

/** What the emulator answers, for a door to carry back. */
export class PlainReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /**
   * The body, to be sent one piece after the other. A page of 100 keys is a few slices of memory
   * that the store keeps; to join them costs half as much again as to send them.
   */
  readonly pieces: readonly Piece[];
  /**
   * What a fault does to the connection: `drop` closes it without a reply, `hang` leaves it open
   * without one, `truncate` closes it when half of the body was sent.
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
   * The same in one piece, which is made each time that it is asked for. Empty for 204 and HEAD,
   * whose headers are those of the full reply.
   */
  get body(): Uint8Array {
    return concatenate(this.pieces.map(encodeAscii), lengthOf(this.pieces));
  }

  /** The same reply with these members in the place of its own. */
  with(changes: Partial<Omit<PlainReply, "body" | "with">>): PlainReply {
    const { status, headers, pieces, effect } = { ...this, ...changes };
    return new PlainReply(status, headers, pieces, effect);
  }
}

/** A reply that goes on until the client leaves, or the door does. */
export class EventReply extends PlainReply {
  /** Texts, to be sent one after the other until the signal, or the end. */
  readonly events: (signal: AbortSignal) => AsyncIterable<string>;

  constructor(headers: PlainReply["headers"], events: EventReply["events"]) {
    super(200, headers, []);
    this.events = events;
  }
}

/** Text is ASCII and short, so it takes less time to copy it than to ask an encoder. */
function encodeAscii(piece: Piece): Uint8Array {
  if (typeof piece !== "string") return piece;
  const bytes = new Uint8Array(piece.length);
  for (let index = 0; index < piece.length; index += 1) bytes[index] = piece.charCodeAt(index);
  return bytes;
}

/** Of all pieces, in bytes. */
export function lengthOf(pieces: readonly Piece[]): number {
  let length = 0;
  for (const piece of pieces) length += piece.length;
  return length;
}

/** Half of the body, for a reply that is cut off. */
export function firstHalf({ body }: PlainReply): Uint8Array {
  return body.subarray(0, body.length >> 1);
}

/** Cuts a request target as text: `URL` would resolve dots and encode, and paths are matched as sent. */
export function splitTarget(target: string): { path: string; query: string } {
  // Nearly every target is a path and a query, and nothing else.
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
