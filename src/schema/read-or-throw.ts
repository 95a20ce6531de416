import type * as z from "zod/mini";
import { throwLines } from "../base/throw-lines.ts";
import { problemLine } from "./problem-line.ts";
import { readAs, type Problem } from "./problems.ts";

/**
 * Reads what the author of a test, an option or a file wrote.
 * @param source what the input is, for the messages
 * @param more finds the problems that the schema cannot find, in a value that it accepts
 * @throws UsageError with a line for each member that is wrong or unknown
 */
export function readOrThrow<Schema extends z.core.$ZodType>(
  schema: Schema,
  input: unknown,
  source: string,
  more: (value: z.output<Schema>) => readonly Problem[] = () => [],
): z.output<Schema> {
  const { value, problems, unknown } = readAs(schema, input);
  const furtherProblems = value === undefined ? [] : more(value);
  throwProblems(source, [...problems, ...unknown, ...furtherProblems]);
  return value as z.output<Schema>;
}

/** @throws UsageError with a line for each problem; does nothing if there are none */
export function throwProblems(source: string, problems: readonly Problem[]): void {
  throwLines(problems.map((problem) => problemLine(source, problem)));
}
