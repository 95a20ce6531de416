import type { Steps } from "./steps.ts";

/** How many items are sorted or merged in one step. */
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
