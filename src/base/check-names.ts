import { unknownName } from "./wording/unknown-name.ts";
import { throwLines } from "./throw-lines.ts";

/** @throws UsageError if an option of a function is unknown */
export function checkNames(caller: string, options: object, known: readonly string[]): void {
  // The caller reports other types, when it validates the options.
  if (typeof options !== "object") return;
  const lines = Object.keys(options)
    .filter((name) => !known.includes(name))
    .map((name) => `${caller}: ${name}: ${unknownName("option", name, known)}`);
  throwLines(lines);
}
