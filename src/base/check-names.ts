import { unknownName } from "./wording/unknown-name.ts";
import { throwLines } from "./throw-lines.ts";

/** @throws UsageError with a line for each unknown option of a function */
export function checkNames(caller: string, options: object, known: readonly string[]): void {
  // Other types are reported by the caller, which validates the options.
  if (typeof options !== "object") return;
  const lines = Object.keys(options)
    .filter((name) => !known.includes(name))
    .map((name) => `${caller}: ${name}: ${unknownName("option", name, known)}`);
  throwLines(lines);
}
