import { sweep, SweepError, type SweepOptions } from "../../src/sweep.ts";
import { type Program, shop } from "./_programs.ts";

/** The table of a sweep, whatever it found. */
export function tableOf(program: Program, options: SweepOptions = {}): Promise<string> {
  return sweep(program, { fixtures: [shop], ...options }).catch((error: unknown) => {
    if (error instanceof SweepError) return error.message.trim();
    throw error;
  });
}

/** The verdict of each wrong case, by its name. */
export async function verdictsOf(program: Program, options: SweepOptions = {}) {
  const error = await sweep(program, { fixtures: [shop], ...options }).catch((thrown) => thrown);
  const cases = (error.cases ?? []) as { case: string; verdict: string }[];
  return Object.fromEntries(cases.map((each) => [each.case, each.verdict]));
}
