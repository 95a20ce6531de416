/** A part of a body. Text is ASCII, so it has as many bytes as characters. */
export type Piece = string | Uint8Array;

/**
 * The body of a reply that has been written already: pieces of JSON, one behind the other. An
 * operation may return it in the place of what would be written, and the pieces must not change.
 */
export class RawJson {
  readonly pieces: readonly Piece[];
  /** What a journal says of it: the pieces are shared, and would stay in memory with it. */
  readonly summary: object;

  constructor(pieces: readonly Piece[], summary: object) {
    this.pieces = pieces;
    this.summary = summary;
  }
}
