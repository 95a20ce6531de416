/**
 * Taken when the emulator is loaded: a test may put fake timers in the place of the global ones, and
 * never run them.
 */
export const { clearTimeout, setTimeout } = globalThis;
