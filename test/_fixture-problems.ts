import { UsageError, type Fixture } from "../src/index.ts";
import { givenEmulator } from "./_emulator.ts";

/** The problems that these fixtures are refused for, or none. */
export async function problemsOf(...fixtures: unknown[]): Promise<readonly string[]> {
  try {
    await givenEmulator({ fixtures: fixtures as Fixture[] });
    return [];
  } catch (error) {
    if (error instanceof UsageError) return error.problems;
    throw error;
  }
}
