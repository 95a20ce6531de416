import { pluralize } from "../../base/wording/pluralize.ts";
import { operationsOf } from "../../operations/table.ts";
import { likelyMistakes } from "../../seeding/fixtures/likely-mistakes.ts";
import { planFixtures, type WorkspacePlan } from "../../seeding/fixtures/plan.ts";
import { printable } from "../../base/wording/printable.ts";
import { toSource } from "../../seeding/fixtures/source.ts";
import { toApis } from "../../store/api-set.ts";
import { UsageError } from "../../usage-error.ts";
import { readFixtureFiles } from "../files/read-fixture-files.ts";

/**
 * Prints what the fixtures contain, and a warning for each probable mistake; or a line for every
 * problem for which `serve` would refuse them.
 * @returns the exit code: 1 if there is a problem
 */
export async function runCheck(files: readonly string[]): Promise<number> {
  try {
    const contracts = operationsOf().map(({ contract }) => contract);
    const sources = (await readFixtureFiles(files)).map(toSource);
    const plan = planFixtures(sources, { contracts });
    for (const line of likelyMistakes(sources)) print(`warning: ${line}`);
    for (const workspace of plan.workspaces) {
      const { apis, generate, id, keys, existing } = workspace;
      const made = generate.reduce((sum, request) => sum + request.count, 0);
      const listed = keys.length + (existing?.keys.length ?? 0);
      const held = `${pluralize(apis.length, "API")} and ${pluralize(listed, "key")}`;
      const more = made === 0 ? "" : `, and ${pluralize(made, "made-up key")}`;
      print(`ok: ${id} with ${held}${more}`);
      for (const line of keyspaceLines(workspace, plan.snapshot?.randomSeed)) print(line);
    }
    return 0;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    for (const line of error.problems) print(line);
    return 1;
  }
}

function print(line: string): void {
  process.stdout.write(`${printable(line)}\n`);
}

/** A line for each API whose keyspace id is known: without a random seed, each start makes another. */
function keyspaceLines({ apis, id: workspaceId }: WorkspacePlan, seed: number | undefined) {
  const known = seed === undefined ? apis : toApis(apis, { seed, workspaceId });
  return known
    .filter(({ keyspaceId }) => keyspaceId !== undefined)
    .map(({ id, keyspaceId }) => `  ${id} has the keyspace ${keyspaceId}`);
}
