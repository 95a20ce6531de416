import { mergeOptions } from "../options/read-options.ts";
import { untilNpmShellEnds } from "../npm-shell.ts";
import { printableJson } from "../../base/wording/text.ts";
import { start } from "../start.ts";

/**
 * Serves until a signal arrives, or until the parent process or, if asked for, stdin ends.
 * @returns the exit code
 * @throws UsageError for invalid options and fixtures, ListenError if it cannot listen on the address
 */
export async function runServe(flags: Readonly<Record<string, unknown>>): Promise<number> {
  const options = await mergeOptions(flags, process.env);
  const stdinEnded = options.exitWithStdin ? untilStdinEnds() : new Promise<void>(() => {});
  const abandoned = untilAbandoned();
  const npmShellEnded = untilNpmShellEnds();
  const { info, stop, reportCalls, reportUnserved } = await start(options);
  const stopped = Promise.race([untilSignal(), abandoned, npmShellEnded, stdinEnded]);

  const { ready, controlToken, clientToken, banner, localUrl, programEnv } = info;
  process.stdout.write(`${options.json ? printableJson(ready) : banner}\n`);
  // For `startProcess`. It fails if the parent has ended, but then `abandoned` resolves.
  const message = { ...ready, url: localUrl, controlToken, clientToken, programEnv };
  process.send?.(message, undefined, undefined, () => {});
  await stopped;
  const code = await stop();
  // `startProcess` shows it. At a terminal, the log has already shown each of these calls.
  if (process.connected) reportUnserved();
  if (options.as) reportCalls();
  return code;
}

/** Resolves at the first signal. A second signal ends the process at once. */
function untilSignal(): Promise<void> {
  return new Promise((resolve) => {
    let isStopping = false;
    for (const [signal, code] of [
      ["SIGINT", 130],
      ["SIGTERM", 143],
      // Sent when the terminal is closed.
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

/** Resolves when a parent with an IPC channel to this process has ended. Never without a channel. */
function untilAbandoned(): Promise<void> {
  return new Promise((resolve) => {
    process.once("disconnect", () => resolve());
    // A channel with a listener would keep this process alive. In Bun, it has no `unref`.
    process.channel?.unref?.();
    // The parent has ended already. Without a channel, Node says undefined, and Bun says false.
    if (process.send !== undefined && process.connected === false) resolve();
  });
}

/** Resolves when stdin is closed, which happens also if the process at its other end is killed. */
function untilStdinEnds(): Promise<void> {
  const { stdin } = process;
  return new Promise((resolve) => {
    for (const event of ["end", "close", "error"]) stdin.once(event, () => resolve());
    // Its end is noticed only if it is read.
    stdin.resume();
    // After a signal, an open stdin would keep this process alive. A file has no such method.
    stdin.unref?.();
  });
}
