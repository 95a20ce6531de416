import type {} from "vitest";
import type { TestProject } from "vitest/node";
import { startProcess, type ProcessOptions } from "./start-process.ts";

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
 * With the option `as`, the workers of vitest are redirected. In watch mode, the emulator is reset before
 * tests run again.
 * @param options the options of `startProcess`
 */
export function createGlobalSetup(
  options: ProcessOptions = {},
): (project: Pick<TestProject, "onTestsRerun" | "provide">) => Promise<() => Promise<void>> {
  return async (project) => {
    const { url, token, controlToken, programEnv, reset, stop } = await startProcess(options);
    const { NO_PROXY = "", no_proxy = "" } = programEnv;
    const isRedirected = programEnv["LATCHKEY_AS"] !== undefined;
    // Workers are created later, and get these variables from this process. NO_PROXY keeps their calls to
    // the emulator from a proxy.
    const undo = setVariables(isRedirected ? programEnv : { NO_PROXY, no_proxy });
    if (options.control !== false) project.onTestsRerun(() => reset({ all: true }));
    project.provide("latchkeyUrl", url);
    project.provide("latchkeyToken", token);
    project.provide("latchkeyControlToken", controlToken);
    return () => {
      undo();
      return stop();
    };
  };
}

function setVariables(variables: Readonly<Record<string, string>>): () => void {
  const before = Object.keys(variables).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, variables);
  return () => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  };
}

/**
 * The default set-up, for `globalSetup: ["latchkey/vitest/global-setup"]`. Its options come from the
 * environment and from `latchkey.config.*`, as far as `startProcess` reads that.
 */
export const setup = createGlobalSetup();
