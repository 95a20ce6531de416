// Contenders take turns, so that what slows the machine down for a while slows each of them down.

/** Runs each of these in turn, so many times over. Resolves to what each returned, by contender. */
export async function inTurn(contenders, rounds) {
  const results = contenders.map(() => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, contender] of contenders.entries()) results[index].push(await contender());
  }
  return results;
}

export function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

export function summarize(values) {
  return { median: median(values), min: Math.min(...values), max: Math.max(...values) };
}

/** By round, so that both sides were measured at nearly the same time. */
export function ratios(values, others) {
  return summarize(values.map((value, round) => value / others[round]));
}
