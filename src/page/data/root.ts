/**
 * The URL of the emulator, with a slash at its end. It is relative to this code, which is served at
 * `_latchkey/ui/page.js`, so it is right even if a proxy serves the emulator below a path.
 */
export const root: string = new URL("../../", import.meta.url).href;
