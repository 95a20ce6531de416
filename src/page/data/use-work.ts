import { useState } from "preact/hooks";
import { linesOf } from "./refused.ts";

export interface Work {
  readonly isBusy: boolean;
  /** The problems of the last run. */
  readonly lines: readonly string[];
  /** Runs a task and keeps its problems in `lines`. Resolves to whether it succeeded. */
  run(work: () => Promise<unknown>): Promise<boolean>;
}

/** State of a task that a button starts. */
export function useWork(): Work {
  const [state, set] = useState<Omit<Work, "run">>({ isBusy: false, lines: [] });
  const run = async (work: () => Promise<unknown>) => {
    set({ isBusy: true, lines: [] });
    try {
      await work();
      set({ isBusy: false, lines: [] });
      return true;
    } catch (error) {
      set({ isBusy: false, lines: linesOf(error) });
      return false;
    }
  };
  return { ...state, run };
}
