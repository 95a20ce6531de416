import { Emitter, TypedEvent } from "rettime";
import type { Library } from "./library.ts";

/** A record that came (`after`), went (`before`), or became another version of itself (both). */
export interface Change<Item> {
  readonly before?: Item;
  readonly after?: Item;
}

type Hooks<Init, Item> = Library<Init, Item>["hooks"];

/**
 * Tells listeners of changes after they were made, with the events of `@msw/data`. A listener can
 * neither prevent nor delay a change. What it throws becomes an unhandled rejection, because whoever
 * made the change has nothing to do with it.
 */
export class Changes<Init, Item> {
  readonly hooks = new Emitter() as unknown as Hooks<Init, Item>;

  tell({ before, after }: Change<Item>): void {
    if (before === undefined) this.#emit("create", { record: after });
    else if (after === undefined) this.#emit("delete", { deletedRecord: before });
    else this.#tellMembers(before, after);
  }

  /** Tells of all that differs between what a collection held and what it holds now. */
  tellAll(before: ReadonlyMap<unknown, Item>, after: ReadonlyMap<unknown, Item>): void {
    for (const [id, item] of before) if (!after.has(id)) this.tell({ before: item });
    for (const [id, item] of after) {
      const previous = before.get(id);
      if (previous === undefined) this.tell({ after: item });
      else if (previous !== item) this.tell({ before: previous, after: item });
    }
  }

  /** One event for each member that has changed, as the library has it. */
  #tellMembers(before: Item, after: Item): void {
    for (const name of Object.keys(after as object) as (keyof Item & string)[]) {
      const [prevValue, nextValue] = [before[name], after[name]];
      if (JSON.stringify(prevValue) === JSON.stringify(nextValue)) continue;
      const records = { prevRecord: before, nextRecord: after };
      this.#emit("update", { ...records, path: [name], prevValue, nextValue });
    }
  }

  #emit(type: "create" | "update" | "delete", data: object): void {
    const { hooks } = this;
    if (hooks.listenerCount(type) + hooks.listenerCount("*") === 0) return;
    try {
      hooks.emit(new TypedEvent(type, { data }) as never);
    } catch (error) {
      void Promise.reject(error);
    }
  }
}
