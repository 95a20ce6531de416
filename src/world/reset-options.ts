import { isRecord } from "../base/is-record.ts";
import { kindOf } from "../schema/problems.ts";
import { throwLines } from "../base/throw-lines.ts";
import { UsageError } from "../usage-error.ts";
import { checkNames } from "../base/check-names.ts";

/** Options for resetting a workspace. */
export interface ResetOptions {
  /**
   * Whether records created after the reset get ids and key values that were never used before.
   * They depend on the random seed and on the number of such resets. Default: false, which repeats
   * the same ids and key values.
   */
  readonly freshIds?: boolean | undefined;
}

/** Options for resetting an emulator. */
export interface EmulatorResetOptions extends ResetOptions {
  /** With `isolate`: whether to reset the workspaces of all tokens too. Default: false. */
  readonly all?: boolean | undefined;
}

/** @throws UsageError for options that are unknown or of a wrong type */
export function checkReset(options: EmulatorResetOptions, known: readonly string[]): void {
  if (!isRecord(options)) throw new UsageError(`reset: expected an object, got ${kindOf(options)}`);
  checkNames("reset", options, known);
  const lines = Object.entries(options)
    .filter(([, value]) => value !== undefined && typeof value !== "boolean")
    .map(([name, value]) => `reset: ${name}: expected true or false, got ${kindOf(value)}`);
  throwLines(lines);
}
