import type {} from "vitest";
import type { TestProject } from "vitest/node";
import { startProcess, type ProcessOptions } from "../cli/start-process.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** Where the emulator of this run listens. */
    latchkeyUrl: string;
    /** A token that it accepts. */
    latchkeyToken: string;
    /** What its control routes take, where `latchkeyToken` may not use them. */
    latchkeyControlToken: string | undefined;
  }
}

/**
 * Makes vitest's `setup` that starts one emulator, in a process of its own, for the whole run.
 * Tests get its place by `inject("latchkeyUrl")` and `inject("latchkeyToken")`, and the
 * control token, where there is one, by `inject("latchkeyControlToken")`.
 */
export function createGlobalSetup(
  options: ProcessOptions = {},
): (project: Pick<TestProject, "provide">) => Promise<() => Promise<void>> {
  return async (project) => {
    const { url, token, controlToken, stop } = await startProcess(options);
    project.provide("latchkeyUrl", url);
    project.provide("latchkeyToken", token);
    project.provide("latchkeyControlToken", controlToken);
    return stop;
  };
}

/**
 * With the options of the environment and `latchkey.config.*`, as far as `startProcess` uses that;
 * for `globalSetup` by name.
 */
export const setup = createGlobalSetup();
