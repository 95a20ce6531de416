import type { EmulatorOptions } from "../emulator/options.ts";
import { SweepError } from "./baseline.ts";
import { type SweepLimits, sweepLimits } from "./limits.ts";
import { sweepCases } from "./sweep-cases.ts";
import { isWrong, tableOf } from "./table.ts";
import { openWorld, type SweepWorld } from "./world.ts";

/** The options of `createEmulator`, those of the sweep, and `setup`. */
export interface SweepOptions extends EmulatorOptions, SweepLimits {
  /**
   * Creates what the program needs, in each run. Its calls are not spoilt, and the records after it are
   * the start. Its result is passed to the program.
   */
  readonly setup?: ((world: SweepWorld) => unknown) | undefined;
}

/** A program to sweep. It gets what `setup` returns. */
export type SweptProgram = (world: SweepWorld, given: never) => unknown;

/**
 * Runs a program twice without a fault, then once for each case: each call is spoilt in each way, and
 * each yes is changed to each possible no. Every run has a fresh emulator with the same options. The
 * random seed is 1 unless you set it.
 * @param program rejects or throws if it fails, like a test
 * @returns the table, if no case is wrong
 * @throws SweepError with the table if a case is wrong, and if the program fails without a fault;
 *   UsageError for invalid options, for a program that makes no call, and if no case ran
 */
export async function sweep(program: SweptProgram, options: SweepOptions = {}): Promise<string> {
  const { setup, ...rest } = options;
  const part = (isLimit: boolean) =>
    Object.fromEntries(
      Object.entries(rest).filter(([name]) => Object.hasOwn(sweepLimits, name) === isLimit),
    );
  const open = async () => {
    const { close, emulator, urls } = await openWorld(part(false));
    const world = { emulator, url: urls[0] ?? "" };
    const run = async () => {
      const given = await setup?.(world);
      if (setup !== undefined) emulator.mark();
      await program(world, given as never);
    };
    return { emulator, run, close };
  };
  const swept = await sweepCases(open, part(true));
  const table = tableOf(swept, (each) => `with the option case: "${each}"`);
  const wrong = swept.cases.filter(isWrong);
  if (wrong.length > 0) throw new SweepError(`\n${table}`, wrong);
  return table;
}
