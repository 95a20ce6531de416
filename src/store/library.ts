import type { Collection } from "@msw/data";
import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { Members } from "./condition.ts";

/** The collection of `@msw/data`, whose interface our collections have. */
export type Library<Init, Item> = Collection<StandardSchemaV1<Init, Item>>;

type Method<Init, Item, Name extends keyof Library<Init, Item>> = Extract<
  Library<Init, Item>[Name],
  (...args: never[]) => unknown
>;

/** A record as a collection hands it out: frozen, changed through `update` only. */
export type Stored<Item> = ReturnType<Library<unknown, Item>["all"]>[number];

/** Which records: `{ name: "CI" }`, `(q) => q.where({ name: "CI" })`, a query, or a record. */
export type Condition<Item> =
  | NonNullable<Parameters<Method<unknown, Item, "findMany">>[0]>
  | Members<Item>;

/** `cursor`, `skip`, `take`, `orderBy` and `strict`. */
export type FindOptions<Item> = NonNullable<Parameters<Method<unknown, Item, "findMany">>[1]>;
/** `orderBy` and `strict`. */
export type DeleteOptions<Item> = NonNullable<Parameters<Method<unknown, Item, "deleteMany">>[1]>;
/** `data`, which changes a draft, `orderBy` and `strict`. */
export type UpdateOptions<Item> = Parameters<Method<unknown, Item, "updateMany">>[1];
/** A record under change. */
export type Draft<Item> = Parameters<UpdateOptions<Item>["data"]>[0];
/** The record, or undefined where none is found and `strict` does not throw. */
export type Found<Item, Strict extends boolean> = Strict extends true
  ? Stored<Item>
  : Stored<Item> | undefined;
