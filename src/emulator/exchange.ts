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
}

/** `"too large"` for a body over `MAX_BODY_BYTES`, which a door does not keep. */
export type Body = Uint8Array | "too large";

/** The service takes bodies of up to 1 MiB. */
export const MAX_BODY_BYTES = 1_048_576;

export interface PlainReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Empty for 204 and HEAD, whose headers are those of the full reply. */
  readonly body: Uint8Array;
}

/** Cuts a request target as text: `URL` would resolve dots and encode, and paths are matched as sent. */
export function splitTarget(target: string): { path: string; query: string } {
  const [, path = "", query = ""] =
    /^(?:[a-z][a-z0-9+.-]*:\/\/[^/?#]*)?([^?#]*)\??([^#]*)/i.exec(target) ?? [];
  return { path: path === "" ? "/" : path, query };
}
