/** How often the id of the parent is checked, in milliseconds. */
const INTERVAL = 250;

/**
 * Resolves when the shell in which npm runs this command has ended. Never resolves if npm does not run
 * it.
 *
 * `npx` and `npm run` start `sh -c latchkey`. npm sends SIGTERM only to that shell, and a shell like
 * dash ends without forwarding it. The command would then keep running, and keep its port.
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
 * Whether the script is only this command. With `latchkey & …`, the shell may end earlier, because the
 * author of the script wants the command to run in the background.
 */
function isOnlyCommand(script: string): boolean {
  // npm 11 puts quotes around the name.
  return /^(?:\w+=\S* )*(['"]?)latchkey\1(?: [^&|;\n]*)?$/.test(script);
}
