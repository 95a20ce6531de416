import * as f from "../schema/fields.ts";
import { lazyMembers, type OptionsOf } from "../schema/lazy-shape.ts";
import { writtenDuration } from "../state/vocabulary.ts";
import { type Spoil, spoilNames } from "./cases.ts";
import { type FaultyVerdict, faultyVerdicts } from "./verdicts.ts";

/** The options of a sweep. Their descriptions are in `src/cli/options/sweep-options.ts`. */
export const sweepLimits = lazyMembers({
  only: () =>
    f.typed<readonly string[]>(f.listOf(f.filledText(), "names of operations", { min: 1 })),
  faults: () =>
    f.typed<readonly Spoil[]>(f.listOf(f.nameOf("fault", spoilNames), "names of faults")),
  answers: f.flag,
  most: () => f.integer({ min: 1 }),
  for: writtenDuration,
  patience: writtenDuration,
  jobs: () => f.integer({ min: 1, max: 64 }),
  atomic: f.flag,
  allow: () =>
    f.typed<readonly Allowed[]>(
      f.listOf(
        f.objectOf({ operation: f.filledText(), verdict: f.nameOf("verdict", faultyVerdicts) }),
        "verdicts",
      ),
    ),
  case: f.filledText,
});
export type SweepLimits = OptionsOf<typeof sweepLimits>;

/** A verdict that is intended: for example, a rate limit may let calls through while the service fails. */
export interface Allowed {
  readonly operation: string;
  readonly verdict: FaultyVerdict;
}
