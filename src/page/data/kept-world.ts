import { version } from "../../base/version.ts";
import type { Fixture } from "../../seed/format.ts";

/** The records of a static site that a visitor keeps in the storage of the browser. */
export class KeptWorld {
  /** Other sites of the same host have other paths. */
  readonly #name = `latchkey-world ${location.pathname.replace(/index\.html$/, "")}`;

  get exists(): boolean {
    try {
      return localStorage.getItem(this.#name) !== null;
    } catch {
      // The settings of a browser may forbid storage.
      return false;
    }
  }

  /** @throws Error if the text is broken, or another version of latchkey wrote it */
  read(): { readonly at: number; readonly snapshot: Fixture } {
    const kept = JSON.parse(localStorage.getItem(this.#name) ?? "null");
    if (kept?.version === version) return kept;
    throw new Error(`expected records of latchkey ${version}, got records of another version`);
  }

  /**
   * @param at the emulator's time (unix milliseconds)
   * @throws Error if the browser forbids storage, or has no room left
   */
  keep(snapshot: string, at: number): void {
    const head = JSON.stringify({ version, at }).slice(0, -1);
    try {
      localStorage.setItem(this.#name, `${head},"snapshot":${snapshot}}`);
    } catch (cause) {
      const size = (snapshot.length / 1e6).toFixed(1);
      throw new Error(`This browser forbids storage, or has no room for ${size} MB.`, { cause });
    }
  }

  forget(): void {
    // With storage forbidden, nothing is kept.
    if (this.exists) localStorage.removeItem(this.#name);
  }
}
