/** Secrets are found by this many first characters: as many as a shortened one still shows. */
export const START_LENGTH = 5;
/** The longest secret that is found where it was shortened. */
const MAX_LENGTH = 512;
/** Texts that were added since the others were sorted, before they are sorted too. */
const MAX_RECENT = 1_000;
/** Text up to a quote, after a part of a secret that was masked already. */
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
   * Where the longest of these secrets that begins at `at` ends; undefined if none does.
   * @param cut where the text was shortened or masked next
   */
  endOf(text: string, at: number, cut: number | undefined): number | undefined {
    let end = cut === undefined ? at : this.#endOfCut(text, at, cut);
    for (const length of this.#lengths) {
      if (at + length > end && this.#texts.has(text.slice(at, at + length))) end = at + length;
    }
    return end === at ? undefined : end;
  }

  /** Where a secret ends that was shortened, or masked in part, at `cut`; `at` if there is none. */
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
