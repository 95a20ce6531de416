import { pluralize, printable } from "../../base/wording/text.ts";
import { exitSoon } from "../start.ts";
import { toOperation } from "../../service/operations/own-operation.ts";
import { operationsOf } from "../../service/operations/table.ts";
import { likelyMistakes } from "../../seed/likely-mistakes.ts";
import { checkFixtures } from "../../seed/check.ts";
import { type ApiInit, toApis } from "../../state/records/apis.ts";
import { loadOperations } from "../files/load-operations.ts";
import { checkOptions } from "../options/options.ts";
import { readFlags } from "../options/read-options.ts";
import { report } from "../program.ts";
import { throwLines, UsageError } from "../../base/usage-error.ts";
import { readFixtureFiles } from "../../seed/files.ts";
import { byWorkspace, snapshotIn } from "../../seed/part.ts";

/**
 * Prints what the fixtures contain, and on stderr a warning for each probable mistake. If `serve` would
 * refuse them, prints a line for each problem instead.
 * Faults may name operations of the modules that `--operation` gives.
 * @returns the exit code: 1 if there is a problem
 */
export async function runCheck(
  files: readonly string[],
  flags: Readonly<Record<string, unknown>>,
): Promise<number> {
  const { lines, options } = readFlags(flags, checkOptions);
  throwLines(lines);
  try {
    const own = await loadOperations(options.operations ?? []);
    if (own.length > 0) exitSoon();
    const contracts = [...own.map(toOperation), ...operationsOf()].map(({ contract }) => contract);
    const checked = checkFixtures(await readFixtureFiles(files), { contracts });
    report(likelyMistakes(checked).map((line) => `warning: ${line}`));
    for (const [id, parts] of byWorkspace(checked)) {
      const apis = parts.flatMap((part) => part.apis);
      const keys = parts.reduce((sum, part) => sum + part.keys.length, 0);
      const made = parts
        .flatMap(({ generate }) => generate)
        .reduce((sum, request) => sum + (request.count ?? 0), 0);
      const held = `${pluralize(apis.length, "API")} and ${pluralize(keys, "key")}`;
      const more = made === 0 ? "" : `, and ${pluralize(made, "generated key")}`;
      print(`ok: ${id} with ${held}${more}`);
      for (const line of keyspaceLines(id, apis, snapshotIn(checked)?.randomSeed)) print(line);
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

/** A line for each API whose keyspace id is known: without a random seed, each start derives another. */
function keyspaceLines(workspaceId: string, apis: readonly ApiInit[], seed: number | undefined) {
  const known = seed === undefined ? apis : toApis(apis, `${seed}/${workspaceId}`);
  return known
    .filter(({ keyspaceId }) => keyspaceId !== undefined)
    .map(({ id, keyspaceId }) => `  ${id} has the keyspace ${keyspaceId}`);
}
