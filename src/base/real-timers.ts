/**
 * The global timers when this module is loaded. A test may replace them with fake timers later, and
 * never advance these.
 */
export const { clearTimeout, setTimeout } = globalThis;
const { clearInterval, setInterval } = globalThis;

/** The longest delay of a timer, in milliseconds. A timer with a longer delay fires at once. */
export const MAX_DELAY = 2 ** 31 - 1;

/**
 * Keeps a process of Node.js alive, as an open connection does: without a timer or a socket, it ends although
 * a promise is pending. Returns a function that undoes this.
 */
export function holdProcess(): () => void {
  const timer = setInterval(() => {}, MAX_DELAY);
  return () => clearInterval(timer);
}
