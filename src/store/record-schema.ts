import type { StandardSchemaV1 } from "@standard-schema/spec";

/** How records of a collection are made. */
export interface RecordMaker<Item extends object, Members> {
  /** The class of the records; the library stores an instance as it is and copies anything else. */
  readonly type: abstract new (...args: never[]) => Item;
  /**
   * Reads what a caller gave, or an update left.
   * @throws UsageError with a line for all that is wrong
   */
  readonly parse: (members: unknown) => Members;
  /** Makes a record of members that fit; only now may an id be drawn. */
  readonly build: (members: Members) => Item;
}

/** Set once the collection is there. */
export interface Guard<Item> {
  check: (record: Item) => void;
}

/**
 * The schema that the library asks for. A finished record passes; the plain members that an update
 * leaves become the next record. It throws instead of returning issues, because the library would
 * print those on the console.
 */
export function passThrough<Init, Item extends object, Members>(
  { type: Type, parse, build }: RecordMaker<Item, Members>,
  guard: Guard<Item>,
): StandardSchemaV1<Init, Item> {
  const validate = (value: unknown) => {
    if (value instanceof Type) return { value };
    const next = build(parse(value));
    guard.check(next);
    return { value: next };
  };
  return { "~standard": { version: 1, vendor: "latchkey", validate } };
}
