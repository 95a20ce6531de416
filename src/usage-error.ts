/**
 * Thrown for an invalid option, fixture or record: a mistake in the code or the files that set up the
 * emulator. An invalid request of a client causes an `ApiError` instead.
 */
export class UsageError extends Error {
  override readonly name = "UsageError" as const;
  /** One line for each problem: where it is, what was expected, and what was found. */
  readonly problems: readonly string[];

  constructor(problems: string | readonly string[], options?: ErrorOptions) {
    const lines = typeof problems === "string" ? [problems] : problems;
    super(lines.join("\n"), options);
    this.problems = lines;
  }
}
