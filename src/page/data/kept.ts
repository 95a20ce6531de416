/** Reads a text from the browser's storage; undefined if there is none, or storage is forbidden. */
export function readKept(storage: "localStorage" | "sessionStorage", name: string) {
  try {
    return window[storage].getItem(name) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Writes a text to the browser's storage. Does nothing if storage is forbidden. */
export function keep(storage: "localStorage" | "sessionStorage", name: string, text: string): void {
  try {
    window[storage].setItem(name, text);
  } catch {
    // The settings of a browser may forbid storage.
  }
}
