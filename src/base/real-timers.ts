/**
 * The global timers when this module is loaded. A test may replace them with fake timers later, and
 * never advance these.
 */
export const { clearTimeout, setTimeout } = globalThis;

const { performance } = globalThis;
/** The time that has really passed, in milliseconds, whatever fake timers say. */
export const realNow = performance.now.bind(performance);
