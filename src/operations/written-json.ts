/**
 * The body of a reply that has been written already: pieces of JSON, one behind the other. An
 * operation may return it in the place of what would be written, and the pieces must not change.
 */
export class WrittenJson {
  readonly pieces: readonly Uint8Array[];

  constructor(pieces: readonly Uint8Array[]) {
    this.pieces = pieces;
  }
}
