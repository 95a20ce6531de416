/**
 * A mistake of the person who set the emulator up: an option, a fixture or a record that cannot
 * be used. Never thrown for what a client sends; that is an `ApiError`.
 */
export class UsageError extends Error {
  override readonly name = "UsageError" as const;
  /** One line for each thing that is wrong: where, what was expected, what was found. */
  readonly problems: readonly string[];

  constructor(problems: string | readonly string[], options?: ErrorOptions) {
    const lines = typeof problems === "string" ? [problems] : problems;
    super(lines.join("\n"), options);
    this.problems = lines;
  }
}
