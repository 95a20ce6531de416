/**
 * Waits so many real milliseconds, but no longer than until one of the signals is aborted. Resolves
 * to whether it waited for all of them.
 */
export function delay(milliseconds: number, signals: readonly AbortSignal[]): Promise<boolean> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      for (const signal of signals) signal.removeEventListener("abort", end);
      resolve(signals.every(({ aborted }) => !aborted));
    };
    const timer = setTimeout(end, milliseconds);
    for (const signal of signals) signal.addEventListener("abort", end);
    if (signals.some(({ aborted }) => aborted)) end();
  });
}
