/**
 * The global timers when this module is loaded. A test may replace them with fake timers later, and
 * never advance these.
 */
export const { clearTimeout, setTimeout } = globalThis;
