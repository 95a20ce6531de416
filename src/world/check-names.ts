import { unknownName } from "../schema/unknown-name.ts";
import { UsageError } from "../usage-error.ts";

/** @throws UsageError with a line for each option that a function does not know */
export function checkNames(caller: string, options: object, known: readonly string[]): void {
  // What is no object is told as what it is, by who reads it.
  if (typeof options !== "object") return;
  const lines = Object.keys(options)
    .filter((name) => !known.includes(name))
    .map((name) => `${caller}: ${name}: ${unknownName("option", name, known)}`);
  if (lines.length > 0) throw new UsageError(lines);
}
