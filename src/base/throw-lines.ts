import { UsageError } from "../usage-error.ts";

/** @throws UsageError with these lines; does nothing if there are none */
export function throwLines(lines: readonly string[]): void {
  if (lines.length > 0) throw new UsageError(lines);
}
