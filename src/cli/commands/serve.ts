import { resolveOptions } from "../options/config.ts";
import { untilNpmShellEnds } from "../npm-shell.ts";
import { DEFAULT_PORT } from "../options/options.ts";
import { start } from "../start.ts";

/**
 * Serves until a signal ends it.
 * @throws UsageError for options and fixtures, ListenError for the address
 */
export async function runServe(flags: Readonly<Record<string, unknown>>): Promise<number> {
  const options = await resolveOptions(flags, process.env);
  const abandoned = untilAbandoned();
  const npmShellEnded = untilNpmShellEnds();
  const { info, stop } = await start(options, { port: DEFAULT_PORT, log: "text" });
  const stopped = Promise.race([untilSignal(), abandoned, npmShellEnded]);

  const { ready, controlToken, banner } = info;
  process.stdout.write(`${options.json ? JSON.stringify(ready) : banner}\n`);
  // To `startProcess`. A parent that has ended meanwhile is an error here, and also an end.
  process.send?.({ ...ready, controlToken }, undefined, undefined, () => {});
  await stopped;
  return stop();
}

/** Resolves at the first signal; a second one ends the process at once. */
function untilSignal(): Promise<void> {
  return new Promise((resolve) => {
    let isStopping = false;
    for (const [signal, code] of [
      ["SIGINT", 130],
      ["SIGTERM", 143],
      // The terminal was closed.
      ["SIGHUP", 129],
    ] as const) {
      process.on(signal, () => {
        if (isStopping) process.exit(code);
        isStopping = true;
        resolve();
      });
    }
  });
}

/** Resolves when a parent that keeps a channel to this process goes, or has gone already. */
function untilAbandoned(): Promise<void> {
  return new Promise((resolve) => {
    process.once("disconnect", () => resolve());
    // A channel with a listener would keep this process.
    process.channel?.unref();
    // Undefined where there never was one.
    if (process.connected === false) resolve();
  });
}
