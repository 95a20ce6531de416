import type * as z from "zod/mini";
import { copyJson } from "../base/copy-json.ts";
import { readOrThrow } from "../schema/read-or-throw.ts";

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
  return copyJson(readOrThrow(schema, members, noun));
}
