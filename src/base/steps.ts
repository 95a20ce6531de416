/** Long work, divided into steps. The code that runs them can answer requests between two steps. */
export type Steps<Result> = Generator<undefined, Result, undefined>;

/** Whether a value is work in steps that has not begun. */
export function areSteps(value: unknown): value is Steps<unknown> {
  return typeof (value as Partial<Steps<unknown>> | undefined)?.next === "function";
}

/** Runs steps: at once, or with pauses. */
export type RunSteps = <Result>(steps: Steps<Result>) => Result | Promise<Result>;

export function atOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}
