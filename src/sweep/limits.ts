import { filledText, flag, integer, listOf, nameOf, objectOf, typed } from "../schema/fields.ts";
import { lazyMembers, type OptionsOf } from "../schema/lazy-shape.ts";
import { writtenDuration } from "../state/vocabulary.ts";
import { type Spoil, spoilNames } from "./cases.ts";
import { type FaultyVerdict, faultyVerdicts } from "./verdicts.ts";

/** What a sweep tries, and how. The texts for each, for editors too, are in `src/cli/options/options.ts`. */
export const sweepLimits = lazyMembers({
  only: () => typed<readonly string[]>(listOf(filledText(), "names of operations", { min: 1 })),
  faults: () => typed<readonly Spoil[]>(listOf(nameOf("fault", spoilNames), "names of faults")),
  answers: flag,
  most: () => integer({ min: 1 }),
  for: writtenDuration,
  patience: writtenDuration,
  jobs: () => integer({ min: 1, max: 64 }),
  atomic: flag,
  allow: () =>
    typed<readonly Allowed[]>(
      listOf(
        objectOf({ operation: filledText(), verdict: nameOf("verdict", faultyVerdicts) }),
        "verdicts",
      ),
    ),
  case: filledText,
});
export type SweepLimits = OptionsOf<typeof sweepLimits>;

/** A verdict that is meant, like that of a rate limit that lets calls through while the service fails. */
export interface Allowed {
  readonly operation: string;
  readonly verdict: FaultyVerdict;
}
