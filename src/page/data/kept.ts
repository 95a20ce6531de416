/** What the browser kept under a name; undefined also where it may keep nothing. */
export function readKept(storage: "localStorage" | "sessionStorage", name: string) {
  try {
    return window[storage].getItem(name) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Without a place to keep it, it is asked for again. */
export function keep(storage: "localStorage" | "sessionStorage", name: string, text: string): void {
  try {
    window[storage].setItem(name, text);
  } catch {
    // A browser may forbid it.
  }
}
