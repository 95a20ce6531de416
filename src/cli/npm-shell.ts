/** How often the parent's id is compared (ms). */
const INTERVAL = 250;

/**
 * Resolves when the shell in which npm runs this command has ended. Never resolves where npm does
 * not run it.
 *
 * `npx` and `npm run` start `sh -c latchkey`. npm passes SIGTERM to that shell only, and a shell
 * like dash ends without passing it on. The command would keep running without a parent and keep
 * its port.
 */
export function untilNpmShellEnds(): Promise<void> {
  return new Promise((resolve) => {
    if (!isOnlyCommand(process.env["npm_lifecycle_script"] ?? "")) return;
    const shell = process.ppid;
    const timer = setInterval(() => {
      // A process whose parent ends gets another parent, with another id.
      if (process.ppid === shell) return;
      clearInterval(timer);
      resolve();
    }, INTERVAL);
    timer.unref();
  });
}

/**
 * Whether the script is this command and nothing else. With `latchkey & …` the shell may end earlier,
 * because the author of the script wants the command to run in the background.
 */
function isOnlyCommand(script: string): boolean {
  // npm 11 puts quotes around the name.
  return /^(?:\w+=\S* )*(['"]?)latchkey\1(?: [^&|;\n]*)?$/.test(script);
}
