import { UsageError } from "../usage-error.ts";

/** @throws UsageError with these lines, if there are any */
export function throwLines(lines: readonly string[]): void {
  if (lines.length > 0) throw new UsageError(lines);
}
