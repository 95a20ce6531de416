import { isRecord } from "../schema/is-record.ts";
import { kindOf } from "../schema/problems.ts";
import { UsageError } from "../usage-error.ts";
import { checkNames } from "./check-names.ts";

/** How a workspace is reset. */
export interface ResetOptions {
  /**
   * Whether what is created afterwards gets ids and key values that were never used here before.
   * They depend on the random seed and on how often this was asked for. Default: false, the same
   * ids and key values come again.
   */
  readonly freshIds?: boolean | undefined;
}

/** How an emulator is reset. */
export interface EmulatorResetOptions extends ResetOptions {
  /** Whether the workspaces of single tokens are reset too, with `isolate`. Default: false. */
  readonly all?: boolean | undefined;
}

/** @throws UsageError for what is no object, an option that does not exist, or one of another type */
export function checkReset(options: EmulatorResetOptions, known: readonly string[]): void {
  if (!isRecord(options)) throw new UsageError(`reset: expected an object, got ${kindOf(options)}`);
  checkNames("reset", options, known);
  const lines = Object.entries(options)
    .filter(([, value]) => value !== undefined && typeof value !== "boolean")
    .map(([name, value]) => `reset: ${name}: expected true or false, got ${kindOf(value)}`);
  if (lines.length > 0) throw new UsageError(lines);
}
