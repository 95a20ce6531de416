import { setTimeout } from "./real-timers.ts";
import type { Steps } from "./steps.ts";

/** The length of a slice, in milliseconds. Requests wait until a slice ends. */
const SLICE = 10;

/**
 * Runs steps in slices. Requests are answered between two slices. If a test has stopped the time of
 * `performance`, all steps are one slice.
 * @param goOn called after each pause; throws to end the work
 */
export async function inSlices<Result>(
  steps: Steps<Result>,
  goOn: () => void = () => {},
): Promise<Result> {
  for (;;) {
    const start = performance.now();
    do {
      const { done, value } = steps.next();
      if (done) return value;
    } while (performance.now() - start < SLICE);
    await new Promise<void>((resolve) => void setTimeout(resolve, 0));
    goOn();
  }
}
