import { checkNames } from "../base/check-names.ts";
import { isRecord } from "../base/is-record.ts";
import { throwLines } from "../base/throw-lines.ts";
import { UsageError } from "../usage-error.ts";
import { kindOf } from "./problems.ts";

/**
 * Checks the options of a method, all of which are true or false.
 * @param of the name of the method
 * @throws UsageError for options that are unknown or of a wrong type
 */
export function checkFlags(of: string, options: unknown, known: readonly string[]): void {
  if (!isRecord(options)) throw new UsageError(`${of}: expected an object, got ${kindOf(options)}`);
  checkNames(of, options, known);
  const lines = Object.entries(options)
    .filter(([, value]) => value !== undefined && typeof value !== "boolean")
    .map(([name, value]) => `${of}: ${name}: expected true or false, got ${kindOf(value)}`);
  throwLines(lines);
}
