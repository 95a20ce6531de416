import type * as z from "zod/mini";
import { copyJson } from "../base/copy-json.ts";
import { problemLine } from "../schema/problem-line.ts";
import { readAs } from "../schema/problems.ts";
import { UsageError } from "../usage-error.ts";

/**
 * Validates what a test passes to a collection as strictly as a fixture, and copies it: records are
 * frozen, and the objects of the test must not be.
 * @throws UsageError with a line for each member that is wrong or unknown
 */
export function parseRecord<Schema extends z.ZodMiniObject>(
  noun: string,
  schema: Schema,
  members: unknown,
): z.output<Schema> {
  const { value, problems, unknown } = readAs(schema, members);
  const all = [...problems, ...unknown];
  if (value !== undefined && all.length === 0) return copyJson(value);
  throw new UsageError(all.map((problem) => problemLine(noun, problem)));
}
