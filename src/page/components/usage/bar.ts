/** What one bar of a chart counts, by outcome. */
export interface Bar {
  /** The name of the day or minute, like `2026-01-31`. No two bars have the same one. */
  readonly name: string;
  readonly counts: Readonly<Record<string, number>>;
}

export function sumOf(counts: Bar["counts"]): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}
