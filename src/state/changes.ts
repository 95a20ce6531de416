import { Emitter, TypedEvent } from "rettime";
import type { Library } from "./public/library.ts";

/** A record was created (it has only `after`), deleted (only `before`) or updated (both). */
export interface Change<Item> {
  readonly before?: Item;
  readonly after?: Item;
  /** The argument of `create`, if that created the record. */
  readonly initialValues?: unknown;
}

type Hooks<Init, Item> = Library<Init, Item>["hooks"];

/**
 * Emits the events of `@msw/data` after a change was made, so no listener can prevent or delay it. An
 * error in a listener becomes an unhandled rejection, because the request did not cause it.
 */
export class Changes<Init, Item> {
  readonly hooks = new Emitter() as unknown as Hooks<Init, Item>;

  notify({ before, after, initialValues }: Change<Item>): void {
    if (before === undefined) this.#emit("create", { record: after, initialValues });
    else if (after === undefined) this.#emit("delete", { deletedRecord: before });
    else {
      const records = { prevRecord: before, nextRecord: after };
      for (const member of changedMembers(before, after))
        this.#emit("update", { ...records, ...member });
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

interface ChangedMember {
  readonly path: readonly (string | number)[];
  readonly prevValue: unknown;
  readonly nextValue: unknown;
}

/** The members that differ, also within objects and lists, each with its path. */
function changedMembers(
  prevValue: unknown,
  nextValue: unknown,
  path: ChangedMember["path"] = [],
): ChangedMember[] {
  if (prevValue === nextValue) return [];
  const isList = Array.isArray(prevValue);
  if (!isObject(prevValue) || !isObject(nextValue) || isList !== Array.isArray(nextValue)) {
    return [{ path, prevValue, nextValue }];
  }
  const names = new Set([...Object.keys(prevValue), ...Object.keys(nextValue)]);
  return [...names].flatMap((name) =>
    changedMembers(prevValue[name], nextValue[name], [...path, isList ? Number(name) : name]),
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
