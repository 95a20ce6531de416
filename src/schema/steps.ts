/** Long work in steps. Whoever runs it may do other work between two of them. */
export type Steps<Result> = Generator<undefined, Result, undefined>;

/** Runs steps: at once, or with pauses. */
export type RunSteps = <Result>(steps: Steps<Result>) => Result | Promise<Result>;

/** Runs all steps one after the other. */
export function atOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}
