/** Between two looks at the parent (ms). */
const INTERVAL = 250;

/**
 * Resolves when the shell ends in which npm runs this command; never where npm does not run it.
 *
 * `npx` and `npm run` start `sh -c latchkey`. npm passes SIGTERM on to that shell only, and a shell
 * like dash ends without passing it further: the command would go on without a parent, on its port.
 */
export function untilNpmShellEnds(): Promise<void> {
  return new Promise((resolve) => {
    if (!isOnlyCommand(process.env["npm_lifecycle_script"] ?? "")) return;
    const shell = process.ppid;
    const timer = setInterval(() => {
      // Who loses a parent gets another one.
      if (process.ppid === shell) return;
      clearInterval(timer);
      resolve();
    }, INTERVAL);
    timer.unref();
  });
}

/**
 * Whether the shell has nothing to do but to wait for this command. With `latchkey & …` its end
 * says nothing, because the author of the script wants the command to go on.
 */
function isOnlyCommand(script: string): boolean {
  // npm 11 quotes the name.
  return /^(?:\w+=\S* )*(['"]?)latchkey\1(?: [^&|;\n]*)?$/.test(script);
}
