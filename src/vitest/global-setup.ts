import type {} from "vitest";
import type { TestProject } from "vitest/node";
import { startProcess, type ProcessOptions } from "../cli/start-process.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** The base URL of the emulator of this run. */
    latchkeyUrl: string;
    /** A token that the emulator accepts. */
    latchkeyToken: string;
    /** The token for control routes; undefined if `latchkeyToken` may use them. */
    latchkeyControlToken: string | undefined;
  }
}

/**
 * Makes a `setup` function for vitest's `globalSetup`, which starts one emulator in a separate process
 * for the whole run. In tests, `inject("latchkeyUrl")` and `inject("latchkeyToken")` return its URL and
 * a token, and `inject("latchkeyControlToken")` the control token, if there is one.
 * @param options the options of `startProcess`
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
 * The default set-up, for `globalSetup: ["latchkey/vitest/global-setup"]`. Its options come from the
 * environment and from `latchkey.config.*`, as far as `startProcess` reads that.
 */
export const setup = createGlobalSetup();
