/** A part of a body. A string must be ASCII, so that its length is its size in bytes. */
export type Piece = string | Uint8Array;

/**
 * The body of a reply as JSON in consecutive pieces. An operation may return it instead of an
 * object, to send JSON from a cache without copying it. The pieces must not change afterwards.
 */
export class RawJson {
  readonly pieces: readonly Piece[];
  /** Recorded in the journal instead of the pieces, so that it does not keep them in memory. */
  readonly summary: object;

  constructor(pieces: readonly Piece[], summary: object) {
    this.pieces = pieces;
    this.summary = summary;
  }
}
