import type { OnProgress } from "../seeding/fixtures/state.ts";

/** Progress is shown only after this time (ms), so that short work prints nothing. */
const DELAY = 1_000;
/** The shortest time between two updates of the line, in milliseconds. */
const INTERVAL = 100;

/**
 * Shows the progress of seeding on one line of a terminal, which `end` removes. Prints nothing
 * elsewhere.
 */
export function createProgress(
  stream: Pick<NodeJS.WriteStream, "isTTY" | "write"> = process.stderr,
): { readonly tell: OnProgress; end(): void } {
  let next = performance.now() + DELAY;
  let isShown = false;
  let isOver = false;
  return {
    tell(done, total) {
      if (isOver || !stream.isTTY || performance.now() < next) return;
      next = performance.now() + INTERVAL;
      isShown = true;
      const [made, all] = [done.toLocaleString("en"), total.toLocaleString("en")];
      stream.write(`\rlatchkey: seeding, ${made} of ${all} keys`);
    },
    end() {
      if (isShown) stream.write("\r\u001B[K");
      isOver = true;
    },
  };
}
