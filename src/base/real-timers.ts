/**
 * The timers at the time when this module is loaded. A test may replace the global ones with fake
 * timers later, and never advance them.
 */
export const { clearTimeout, setTimeout } = globalThis;
