/**
 * The address of the emulator, with a slash at its end. This code is its `_latchkey/ui/page.js`,
 * also where a proxy serves the emulator below a path like `/latchkey/`.
 */
export const root: string = new URL("../../", import.meta.url).href;
