import type * as z from "zod/mini";
import { copyJson } from "../base/copy-json.ts";
import { readOrThrow } from "../schema/problems.ts";

/**
 * Validates the argument of a collection as strictly as a fixture, and copies it, because records are
 * frozen, and the objects of a test must not be.
 * @param now the time from which relative times count, in unix milliseconds
 * @throws UsageError for members that are wrong or unknown
 */
export function parseRecord<Schema extends z.ZodMiniObject>(
  noun: string,
  schema: Schema,
  members: unknown,
  now: number,
): z.output<Schema> {
  return copyJson(readOrThrow(schema, members, noun, undefined, { now }));
}
