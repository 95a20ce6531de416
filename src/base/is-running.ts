/** Whether a process has this id, also one of another user. */
export function isRunning(pid: number): boolean {
  try {
    // The signal 0 is not sent. It only checks whether the process exists.
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
