import type * as z from "zod/mini";
import { dottedPath, problemText, readAs, type Problem } from "../contract/problems.ts";
import { UsageError } from "../usage-error.ts";

/**
 * Reads what a test gives to a collection, as strictly as a fixture is read, into a copy: records
 * are frozen, and what a test passes in stays its own.
 * @throws UsageError with a line for each member that is wrong or unknown
 */
export function parseRecord<Schema extends z.ZodMiniObject>(
  noun: string,
  schema: Schema,
  members: unknown,
): z.output<Schema> {
  const { value, problems, unknown } = readAs(schema, members);
  const told = [...problems, ...unknown];
  if (value !== undefined && told.length === 0) return copyOf(value);
  throw new UsageError(told.map((problem) => problemLine(noun, problem)));
}

/** `key: refill.amount: expected an integer of at least 1, got 0` */
export function problemLine(noun: string, problem: Problem): string {
  const place = problem.path.length > 0 ? `${noun}: ${dottedPath(problem.path)}` : noun;
  return `${place}: ${problemText(problem)}`;
}

/** Everything that a record holds is JSON. */
export function copyOf<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value)) as Value;
}
