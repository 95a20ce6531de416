/** Secrets are found by this many first characters. A shortened secret shows at least these. */
export const START_LENGTH = 5;
/** A longer secret is not found if it was shortened. */
const MAX_LENGTH = 512;
/** How many new texts are kept unsorted. */
const MAX_RECENT = 1_000;
/** After the masked part of a secret: all text up to a quote, which may be the rest of the secret. */
const REST = /\*\*\*(?:(?:\\.|[^"\\]){0,400}(?="))?|/y;

/** Secrets with the same first characters. A fixture may list thousands with one prefix. */
export class SecretGroup {
  readonly #texts = new Set<string>();
  readonly #lengths = new Set<number>();
  #sorted: string[] = [];
  #recent: string[] = [];

  add(text: string): void {
    if (this.#texts.has(text)) return;
    this.#texts.add(text);
    this.#lengths.add(text.length);
    this.#recent.push(text);
  }

  /**
   * Finds the longest of these secrets that begins at `at`, and returns its end; undefined if there is
   * none.
   * @param cut the next place where the text was shortened or masked
   */
  endOf(text: string, at: number, cut: number | undefined): number | undefined {
    let end = cut === undefined ? at : this.#endOfCut(text, at, cut);
    for (const length of this.#lengths) {
      if (at + length > end && this.#texts.has(text.slice(at, at + length))) end = at + length;
    }
    return end === at ? undefined : end;
  }

  /** The end of a secret that was shortened or partly masked at `cut`; `at` if there is none. */
  #endOfCut(text: string, at: number, cut: number): number {
    if (cut - at > MAX_LENGTH || !this.#hasStart(text.slice(at, cut))) return at;
    REST.lastIndex = cut;
    return cut + (REST.exec(text)?.[0].length ?? 0);
  }

  /** Whether one of these secrets begins with this text. */
  #hasStart(start: string): boolean {
    if (this.#recent.length > MAX_RECENT) {
      this.#sorted = [...this.#sorted, ...this.#recent].sort();
      this.#recent = [];
    }
    let [from, to] = [0, this.#sorted.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((this.#sorted[middle] ?? "") < start) from = middle + 1;
      else to = middle;
    }
    return [this.#sorted[from], ...this.#recent].some((text) => text?.startsWith(start));
  }
}
