import { setTimeout } from "./real-timers.ts";

/** Long work, divided into steps. The code that runs them can answer requests between two steps. */
export type Steps<Result> = Generator<undefined, Result, undefined>;

export type RunSteps = <Result>(steps: Steps<Result>) => Result | Promise<Result>;

/** How many items one step takes. */
export const STEP = 100;

/** Passes each item and its place to `work`, in steps. */
export function* eachInSteps<Item>(
  items: Iterable<Item>,
  work: (item: Item, index: number) => void,
): Steps<void> {
  let done = 0;
  for (const item of items) {
    work(item, done);
    done += 1;
    if (done % STEP === 0) yield;
  }
}

export function atOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

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

/** How many items are sorted in one run, or merged in one step. */
const RUN = 1_024;

export function* sortedInSteps<Item>(
  items: readonly Item[],
  isAfter: (a: Item, b: Item) => boolean,
): Steps<Item[]> {
  let runs: Item[][] = [];
  for (let start = 0; start < items.length; start += RUN) {
    runs.push(items.slice(start, start + RUN).sort((a, b) => (isAfter(a, b) ? 1 : -1)));
    yield;
  }
  while (runs.length > 1) {
    const longer: Item[][] = [];
    for (let index = 0; index < runs.length; index += 2) {
      longer.push(yield* mergedInSteps(runs[index] ?? [], runs[index + 1] ?? [], isAfter));
    }
    runs = longer;
  }
  return runs[0] ?? [];
}

export function* mergedInSteps<Item>(
  ones: readonly Item[],
  others: readonly Item[],
  isAfter: (a: Item, b: Item) => boolean,
): Steps<Item[]> {
  const merged: Item[] = [];
  let [one, other] = [0, 0];
  while (one < ones.length && other < others.length) {
    const isOther = isAfter(ones[one] as Item, others[other] as Item);
    merged.push((isOther ? others[other++] : ones[one++]) as Item);
    if (merged.length % RUN === 0) yield;
  }
  for (; one < ones.length; one += 1) merged.push(ones[one] as Item);
  for (; other < others.length; other += 1) merged.push(others[other] as Item);
  return merged;
}
