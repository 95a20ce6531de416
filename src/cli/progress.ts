/** Work that takes no longer than this (ms) says nothing. */
const PATIENCE = 1_000;
/** Between two tellings (ms). */
const INTERVAL = 100;

export interface Progress {
  readonly tell: (done: number, total: number) => void;
  /** Takes the line away. */
  end(): void;
}

/** Tells a person at a terminal how far the seeding is, on one line that does not stay. */
export function createProgress(
  stream: Pick<NodeJS.WriteStream, "isTTY" | "write"> = process.stderr,
): Progress {
  let next = performance.now() + PATIENCE;
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
