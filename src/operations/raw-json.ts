/** A part of a body. A string must be ASCII, so that its length is its size in bytes. */
export type Piece = string | Uint8Array;

/**
 * The body of a reply as JSON in consecutive pieces. An operation returns it instead of an object, to
 * send JSON from a cache without a copy. The pieces must not change afterwards.
 */
export class RawJson {
  readonly pieces: readonly Piece[];
  /** The journal records this instead of the pieces, so that they do not stay in memory. */
  readonly summary: object;

  constructor(pieces: readonly Piece[], summary: object) {
    this.pieces = pieces;
    this.summary = summary;
  }
}
