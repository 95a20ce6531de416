import { unknownName } from "./wording/text.ts";

/**
 * Thrown for an invalid option, fixture or record: a mistake in the code or the files that set up the
 * emulator. An invalid request of a client causes an `ApiError` instead.
 */
export class UsageError extends Error {
  override readonly name = "UsageError" as const;
  /**
   * One line for each problem: where it is, what was expected, and what was found. The message has the
   * first 50.
   */
  readonly problems: readonly string[];

  constructor(problems: string | readonly string[], options?: { readonly cause?: unknown }) {
    const lines = typeof problems === "string" ? [problems] : problems;
    super(firstLines(lines).join("\n"), options);
    this.problems = lines;
  }
}

const SHOWN_LINES = 50;

/** The lines to show on a terminal, because a list of 100,000 wrong items causes 100,000 lines. */
export function firstLines(lines: readonly string[]): readonly string[] {
  const more = lines.length - SHOWN_LINES;
  return more <= 0 ? lines : [...lines.slice(0, SHOWN_LINES), `and ${more} more`];
}

/** @throws UsageError with these lines, if there are any */
export function throwLines(lines: readonly string[]): void {
  if (lines.length > 0) throw new UsageError(lines);
}

/** @throws UsageError if an option of a function is unknown */
export function checkNames(caller: string, options: object, known: readonly string[]): void {
  // The caller reports other types, when it validates the options.
  if (typeof options !== "object") return;
  const lines = Object.keys(options)
    .filter((name) => !known.includes(name))
    .map((name) => `${caller}: ${name}: ${unknownName("option", name, known)}`);
  throwLines(lines);
}
