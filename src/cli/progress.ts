/** Progress is shown only after so many milliseconds, so that short work prints nothing. */
const DELAY = 1_000;
/** The shortest time between two updates of the line, in milliseconds. */
const INTERVAL = 100;

export interface Progress {
  readonly tell: (done: number, total: number) => void;
  /** Removes the line. */
  end(): void;
}

/** Shows the progress of seeding on one line of a terminal. Prints nothing elsewhere. */
export function createProgress(
  stream: Pick<NodeJS.WriteStream, "isTTY" | "write"> = process.stderr,
): Progress {
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
