import { useState } from "preact/hooks";
import { isAborted, linesOf } from "./refused.ts";

export interface Work {
  readonly isBusy: boolean;
  /** What was refused the last time. */
  readonly lines: readonly string[];
  /** Does something, and remembers what was wrong with it. Resolves to whether it was done. */
  run(work: () => Promise<unknown>): Promise<boolean>;
}

/** What a button sets going. */
export function useWork(): Work {
  const [{ isBusy, lines }, set] = useState<Pick<Work, "isBusy" | "lines">>({
    isBusy: false,
    lines: [],
  });
  const run = async (work: () => Promise<unknown>) => {
    set({ isBusy: true, lines: [] });
    try {
      await work();
      set({ isBusy: false, lines: [] });
      return true;
    } catch (error) {
      set({ isBusy: false, lines: isAborted(error) ? [] : linesOf(error) });
      return false;
    }
  };
  return { isBusy, lines, run };
}
