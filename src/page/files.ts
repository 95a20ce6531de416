/** The files of the page by their names. `scripts/build.js` writes them to `dist/page/latchkey-page.js`. */
export const files = {} as Readonly<Record<"index.html" | "page.css" | "page.js", string>>;
