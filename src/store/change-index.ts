import type { Index } from "./unique-index.ts";

/** Tells of every change of a collection, through whatever mutator; it finds nothing itself. */
export class ChangeIndex<Item> implements Index<Item> {
  /** With the record that came or went, or without one when it may be any. */
  readonly #onChange: (item?: Item) => void;

  constructor(onChange: (item?: Item) => void) {
    this.#onChange = onChange;
  }

  copyFrom(): void {
    this.#onChange();
  }

  add(item: Item): void {
    this.#onChange(item);
  }

  remove(item: Item): void {
    this.#onChange(item);
  }

  clear(): void {
    this.#onChange();
  }
}
