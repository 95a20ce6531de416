import type * as z from "zod/mini";
import { copyJson } from "../schema/copy-json.ts";
import { problemLine } from "../schema/problem-line.ts";
import { readAs } from "../schema/problems.ts";
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
  if (value !== undefined && told.length === 0) return copyJson(value);
  throw new UsageError(told.map((problem) => problemLine(noun, problem)));
}
