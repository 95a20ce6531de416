import { pluralize } from "../../schema/wording/pluralize.ts";
import { operationsOf } from "../../operations/table.ts";
import { planFixtures } from "../../seeding/fixtures/plan.ts";
import { toSource } from "../../seeding/fixtures/source.ts";
import { UsageError } from "../../usage-error.ts";
import { readFixtures } from "../files/read-fixtures.ts";

/**
 * Prints a line for every problem for which `serve` would refuse these fixtures.
 * @returns the exit code: 1 if there is a problem
 */
export async function runCheck(files: readonly string[]): Promise<number> {
  try {
    const contracts = operationsOf().map(({ contract }) => contract);
    const plan = planFixtures((await readFixtures(files)).map(toSource), { contracts });
    for (const { apis, generate, id, keys, existing } of plan.workspaces) {
      const made = generate.reduce((sum, request) => sum + request.count, 0);
      const listed = keys.length + (existing?.keys.length ?? 0);
      const held = `${pluralize(apis.length, "API")} and ${pluralize(listed, "key")}`;
      const more = made === 0 ? "" : `, and ${pluralize(made, "made-up key")}`;
      process.stdout.write(`ok: ${id} with ${held}${more}\n`);
    }
    return 0;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    for (const line of error.problems) process.stdout.write(`${line}\n`);
    return 1;
  }
}
