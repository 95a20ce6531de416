import * as z from "zod/mini";
import { pluralize } from "./pluralize.ts";
import { EXPECTED_ID, ID } from "./id.ts";
import { isRecord } from "./is-record.ts";

/** Descriptions and JSON Schema members that zod cannot know; read where JSON Schema is made. */
export const docs = z.registry<Record<string, unknown>>();

/** The same schema with a description of its own; for one that stands in several places. */
export function described<Schema extends z.ZodMiniType>(
  schema: Schema,
  description: string,
): Schema {
  const copy = schema.clone();
  docs.add(copy, { description });
  return copy as Schema;
}

/**
 * The field kinds of the interface. Each says in one phrase what it accepts, and every way of
 * failing it says that phrase, so that a refusal always tells the whole expectation.
 * None converts: `"16"` is not a number, and `null` is refused everywhere.
 */

/**
 * zod compares the length of anything that has one, also of an object that is no string and whose
 * `length` cannot be compared; that throws.
 */
const onStrings = { when: ({ value }: { value: unknown }) => typeof value === "string" };

/** A string of `min` to `max` characters. */
export function text(size: { min?: number; max?: number } = {}) {
  const { min = 0, max } = size;
  const error = `expected ${textPhrase(min, max)}`;
  const params = { error, ...onStrings };
  const open = z.string({ error }).check(z.minLength(min, params));
  return max === undefined ? open : open.check(z.maxLength(max, params));
}

export const id = z.string({ error: EXPECTED_ID }).check(z.regex(ID, { error: EXPECTED_ID }));

/** A whole number that a double holds exactly, from `min` to `max`. */
export function integer({ min, max }: { min: number; max?: number }) {
  const range = max === undefined ? `of at least ${min}` : `from ${min} to ${max}`;
  const error = `expected an integer ${range}`;
  const open = z.int({ error }).check(z.minimum(min, { error }));
  return max === undefined ? open : open.check(z.maximum(max, { error }));
}

export function flag() {
  return z.boolean({ error: "expected true or false" });
}

export function choice<const Values extends readonly [string, ...string[]]>(values: Values) {
  const error = `expected ${values.map((value) => JSON.stringify(value)).join(" or ")}`;
  return z.enum(values, { error });
}

export function listOf<Item extends z.ZodMiniType>(
  item: Item,
  what: string,
  { min = 0 }: { min?: number } = {},
) {
  const error = `expected an array of ${what}`;
  const open = z.array(item, { error });
  const list =
    min > 0 ? open.check(z.minLength(min, { error: `${error}, at least ${min}` })) : open;
  const { run } = list._zod;
  // zod hands the issues of a list on as arguments of one call, and a call with 130,000 of them
  // overflows the stack.
  list._zod.run = (payload, context) => {
    const result = run(payload, context);
    if (result instanceof Promise || result.issues.length <= MAX_LIST_ISSUES) return result;
    result.issues.length = MAX_LIST_ISSUES;
    const message = `expected fewer wrong items; the first ${MAX_LIST_ISSUES} are told`;
    result.issues.push({ code: "custom", input: payload.value, path: [], message });
    return result;
  };
  return list;
}

/** Text, or an object that says more. What is wrong within either is told there. */
export function textOr<Text extends z.ZodMiniType, Members extends z.ZodMiniObject>(
  plain: Text,
  members: Members,
  error: string,
) {
  const either = z.union([plain, members], { error });
  const { run } = either._zod;
  either._zod.run = (payload, context) => {
    const { value } = payload;
    if (typeof value === "string") return plain._zod.run(payload, context);
    return (isRecord(value) ? members._zod.run : run)(payload, context);
  };
  return either;
}

const MAX_LIST_ISSUES = 10_000;

export function objectOf<Shape extends z.core.$ZodShape>(shape: Shape) {
  return z.object(shape, { error: "expected an object" });
}

function textPhrase(min: number, max: number | undefined): string {
  if (max === undefined)
    return min > 0 ? `a string of at least ${pluralize(min, "character")}` : "a string";
  return min > 0
    ? `a string of ${min} to ${max} characters`
    : `a string of at most ${pluralize(max, "character")}`;
}
