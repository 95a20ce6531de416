import type { Store } from "../../state/store.ts";
import { listedIn } from "./needed-permissions.ts";

/** Limits the memory. Further tokens that are not listed are all called `unlisted`. */
const MAX_TOKENS = 1_000;

/** Names the tokens that called a world, without showing them. */
export class Callers {
  readonly #store: Store;
  /** In the order of their first calls. */
  readonly #tokens = new Set<string>();
  #names: { readonly of: string; readonly byToken: ReadonlyMap<string, string> } | undefined;

  constructor(store: Store) {
    this.#store = store;
  }

  note(token: string): void {
    if (this.#tokens.size < MAX_TOKENS) this.#tokens.add(token);
  }

  /** `tokens[0]` for the first listed token, `unlisted[0]` for the first other one that called. */
  readonly nameOf = (token: string): string => {
    const of = `${this.#store.revision} ${this.#tokens.size}`;
    if (this.#names?.of !== of) this.#names = { of, byToken: this.#namesNow() };
    return this.#names.byToken.get(token) ?? "unlisted";
  };

  clear(): void {
    this.#tokens.clear();
    this.#names = undefined;
  }

  #namesNow(): ReadonlyMap<string, string> {
    const listed = listedIn(this.#store);
    const others = [...this.#tokens].filter((token) => !listed.has(token));
    return new Map([
      ...Array.from(listed, ([token, { name }]) => [token, name] as const),
      ...others.map((token, index) => [token, `unlisted[${index}]`] as const),
    ]);
  }
}
