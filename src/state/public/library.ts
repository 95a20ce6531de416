import type { Collection } from "@msw/data";
import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { MemberCondition } from "./condition.ts";

/** The `Collection` of `@msw/data`, whose interface latchkey's collections have. */
export type Library<Init, Item> = Collection<StandardSchemaV1<Init, Item>>;

type Method<Init, Item, Name extends keyof Library<Init, Item>> = Extract<
  Library<Init, Item>[Name],
  (...args: never[]) => unknown
>;

/** A record that a collection returns: frozen, and changed only by `update`. */
export type Stored<Item> = ReturnType<Library<unknown, Item>["all"]>[number];

/** Selects records: `{ name: "CI" }`, `(q) => q.where({ name: "CI" })`, a query, or a record. */
export type Condition<Item> =
  | NonNullable<Parameters<Method<unknown, Item, "findMany">>[0]>
  | MemberCondition<Item>;

/** `cursor`, `skip`, `take`, `orderBy` and `strict`. */
export type FindOptions<Item> = NonNullable<Parameters<Method<unknown, Item, "findMany">>[1]>;
/** `orderBy` and `strict`. */
export type DeleteOptions<Item> = NonNullable<Parameters<Method<unknown, Item, "deleteMany">>[1]>;
/** `data`, a function that changes a draft; `orderBy` and `strict`. */
export type UpdateOptions<Item, Drafted = Draft<Item>> = Omit<PlainUpdate<Item>, "data"> & {
  data: (draft: Drafted) => void | Promise<void>;
};
type PlainUpdate<Item> = Parameters<Method<unknown, Item, "updateMany">>[1];
/** A mutable copy of a record, which `data` of an update changes. */
export type Draft<Item> = Parameters<PlainUpdate<Item>["data"]>[0];
/** The record; undefined if none is found and `strict` is not true. */
export type Found<Item, Strict extends boolean> = Strict extends true
  ? Stored<Item>
  : Stored<Item> | undefined;
