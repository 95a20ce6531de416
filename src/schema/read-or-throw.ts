import type * as z from "zod/mini";
import { throwLines } from "../base/throw-lines.ts";
import { problemLine } from "./problem-line.ts";
import type { ReadContext } from "./fields.ts";
import { readAs, type Problem } from "./problems.ts";

/**
 * Reads an input that a person wrote: an option, a file, or an argument in a test.
 * @param source the name of the input, for the messages
 * @param more finds problems in a value that the schema accepts
 * @throws UsageError with a line for each member that is wrong or unknown
 */
export function readOrThrow<Schema extends z.core.$ZodType>(
  schema: Schema,
  input: unknown,
  source: string,
  more: (value: z.output<Schema>) => readonly Problem[] = () => [],
  context?: ReadContext,
): z.output<Schema> {
  const { value, problems, unknown } = readAs(schema, input, context);
  const furtherProblems = value === undefined ? [] : more(value);
  throwProblems(source, [...problems, ...unknown, ...furtherProblems]);
  return value as z.output<Schema>;
}

/** @throws UsageError with a line for each problem, if there are any */
export function throwProblems(source: string, problems: readonly Problem[]): void {
  throwLines(problems.map((problem) => problemLine(source, problem)));
}
