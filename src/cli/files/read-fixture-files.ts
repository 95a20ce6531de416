import { readFixtureFile } from "../../seeding/files.ts";
import type { Fixture } from "../../seeding/fixtures/format.ts";
import { formatProblems } from "../../seeding/fixtures/read.ts";
import { UsageError } from "../../usage-error.ts";

/**
 * Reads fixture files. If one cannot be read, the format of the others is still checked, so that one
 * run reports as much as possible. Their references are not checked then, because what they refer to
 * may be in the missing file.
 * @throws UsageError with the problems of all files
 */
export async function readFixtureFiles(files: readonly string[]): Promise<Fixture[]> {
  const fixtures: Fixture[] = [];
  const lines: string[] = [];
  for (const result of await Promise.allSettled(files.map(readFixtureFile))) {
    if (result.status === "fulfilled") fixtures.push(result.value);
    else if (result.reason instanceof UsageError) lines.push(...result.reason.problems);
    else throw result.reason;
  }
  if (lines.length === 0) return fixtures;
  throw new UsageError([...lines, ...formatProblems(fixtures)]);
}
