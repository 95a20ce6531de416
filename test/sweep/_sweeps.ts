import { sweep, SweepError, type SweepOptions } from "../../src/sweep.ts";
import { type Program, shop } from "./_programs.ts";

/** The table of a sweep, whether it found a mistake or not. */
export function tableOf(program: Program, options: SweepOptions = {}): Promise<string> {
  return sweep((world) => program(world), { fixtures: [shop], ...options }).catch(
    (error: unknown) => {
      if (error instanceof SweepError) return error.message.trim();
      throw error;
    },
  );
}

/** The verdict of each wrong case, by its name. */
export async function verdictsOf(program: Program, options: SweepOptions = {}) {
  const error = await sweep((world) => program(world), { fixtures: [shop], ...options }).catch(
    (thrown) => thrown,
  );
  if (error instanceof Error && !(error instanceof SweepError)) throw error;
  const cases = (error.cases ?? []) as { case: string; verdict: string }[];
  return Object.fromEntries(cases.map((each) => [each.case, each.verdict]));
}

/** Waits until all programs have ended, and then fails if one of them failed. */
export async function together(...works: readonly Promise<unknown>[]): Promise<void> {
  const ends = await Promise.allSettled(works);
  for (const end of ends) if (end.status === "rejected") throw end.reason;
}
