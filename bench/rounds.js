// Contenders take turns, so that a slow phase of the machine affects each of them.

/** Runs all contenders in turn, several times. Resolves to the results of each contender. */
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

/** Ratios by round, because both values of a round were measured at nearly the same time. */
export function ratios(values, others) {
  return summarize(values.map((value, round) => value / others[round]));
}
