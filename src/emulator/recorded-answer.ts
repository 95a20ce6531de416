import type { RecordedAnswer } from "../control/recorded-request.ts";
import { WrittenJson, type Piece } from "../operations/written-json.ts";
import type { PlainReply } from "./exchange.ts";
import { maskerOf, readMasked } from "./masked-content.ts";
import type { World } from "./world.ts";

/** A longer body is not kept: what matters of most is in the first few members. */
const MAX_KEPT_BYTES = 4_000;
/** What an answer that says no more than how much there was takes (bytes). */
const BRIEF_BYTES = 100;

/**
 * What a client was told, for a test to look at, without key values and tokens; of a page that the
 * operation has written, how much there was. It is read only when somebody looks.
 * @param output what the operation returned; undefined for a refusal
 */
export function toRecordedAnswer(
  output: unknown,
  { pieces }: PlainReply,
  world: World,
  authorization: string | undefined,
): RecordedAnswer {
  if (output instanceof WrittenJson) return new Brief(output.brief);
  // What nobody has written in pieces is one.
  const [body = ""] = pieces;
  return body.length > MAX_KEPT_BYTES
    ? new Brief(`(a body of ${body.length} bytes, which is not kept)`)
    : new Told(body, world, authorization);
}

class Brief implements RecordedAnswer {
  readonly #content: unknown;

  constructor(content: unknown) {
    this.#content = content;
  }

  get size(): number {
    return BRIEF_BYTES;
  }

  read(): unknown {
    return this.#content;
  }
}

/** A class: a journal keeps a thousand, without closures. */
class Told implements RecordedAnswer {
  readonly #body: Piece;
  readonly #world: World;
  readonly #authorization: string | undefined;

  constructor(body: Piece, world: World, authorization: string | undefined) {
    this.#body = body;
    this.#world = world;
    this.#authorization = authorization;
  }

  get size(): number {
    return this.#body.length;
  }

  read(): unknown {
    return readMasked(this.#body, maskerOf(this.#world, this.#authorization));
  }
}
