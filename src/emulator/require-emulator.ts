import { UsageError } from "../usage-error.ts";
import type { Emulator } from "./emulator.ts";

/**
 * Checks an argument early. A promise of an emulator would otherwise fail only at the first request.
 * @throws UsageError if it is no emulator
 */
export function requireEmulator(emulator: Emulator, caller: string): void {
  const value: unknown = emulator;
  if (typeof value === "object" && value !== null) {
    if ("handle" in value && "operations" in value) return;
    if ("then" in value) {
      throw new UsageError(`${caller}: expected an emulator, got a promise; is an await missing?`);
    }
  }
  throw new UsageError(`${caller}: expected an emulator, as createEmulator makes it`);
}
