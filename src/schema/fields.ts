import * as z from "zod/mini";
import { closest, describeUnknown, pluralize, shorten } from "../base/wording/text.ts";
import { EXPECTED_ID, ID } from "./id.ts";

/** Descriptions and JSON Schema keywords that zod cannot derive from a schema. `toJsonSchema` adds them. */
export const docs = z.registry<Record<string, unknown>>();

/**
 * A copy of a schema with a description, since a schema may be used in several places.
 * @param about the description, or an object with it and further keywords of JSON Schema
 */
export function described<Schema extends z.ZodMiniType>(schema: Schema, about: About): Schema {
  const copy = schema.clone();
  docs.add(copy, typeof about === "string" ? { description: about } : about);
  return copy as Schema;
}

type About = string | Readonly<Record<string, unknown>>;

export function optional<Schema extends z.ZodMiniType>(schema: Schema, about: About) {
  return z.optional(described(schema, about));
}

/** The same schema with a type that zod cannot express, like a read-only list. */
export function typed<Value>(schema: z.ZodMiniType) {
  return schema as z.ZodMiniType as z.ZodMiniCustom<Value, Value>;
}

/** The output of a route, as its schema describes it. */
export type ShownBy<Make extends () => z.ZodMiniType> = Immutable<z.output<ReturnType<Make>>>;

export type Immutable<Value> = Value extends string | Date | ((...given: never[]) => unknown)
  ? Value
  : Value extends object
    ? { readonly [Name in keyof Value]: Immutable<Value[Name]> }
    : Value;

// The fields of contracts. Each has one message, which says everything that it accepts, and all its
// checks report this message. No field converts: `"16"` is not a number. No field accepts `null`.

/**
 * Limits length checks to strings. By default, zod checks everything that has a `length`, and throws
 * for an input like `{ "length": { "valueOf": 1, "toString": 1 } }`.
 */
const onStrings = { when: ({ value }: { value: unknown }) => typeof value === "string" };
/** The same for lists. */
const onLists = { when: ({ value }: { value: unknown }) => Array.isArray(value) };

export function text({ min = 0, max, error = `expected ${textPhrase(min, max)}` }: Size = {}) {
  const params = { error, ...onStrings };
  let schema = z.string({ error });
  if (min > 0) schema = schema.check(z.minLength(min, params));
  return max === undefined ? schema : schema.check(z.maxLength(max, params));
}

/** The allowed lengths of a string, in UTF-16 units, and the message for any other value. */
interface Size {
  readonly min?: number;
  readonly max?: number;
  readonly error?: string;
}

export function filledText(error = "expected text that is not empty") {
  return text({ min: 1, error });
}

/** A string of `min` to `max` characters that matches a pattern. Messages describe it by `of`. */
export function patternText({
  min,
  max,
  of,
  pattern,
}: {
  min: number;
  max: number;
  of: string;
  pattern: RegExp;
}) {
  const error = `expected ${textPhrase(min, max)}, only ${of}`;
  return text({ min, max, error }).check(z.regex(pattern, { error, ...onStrings }));
}

export const id = z.string({ error: EXPECTED_ID }).check(z.regex(ID, { error: EXPECTED_ID }));

/**
 * An integer from `min` to `max`. Without `max`, it may be any of 64 bits, as in the service, for example
 * for "no limit". One above 2^53 is the nearest one that JavaScript has.
 */
export function integer(bounds: { min?: number; max?: number; error?: string } = {}) {
  const { max, min, error = `expected an integer${boundsPhrase(min, max)}` } = bounds;
  const range = [min ?? -MAX_INTEGER, max ?? MAX_INTEGER] as const;
  let schema = z.number({ error }).check(integerCheck(error, range));
  // JSON Schema and faults read the bounds of these checks, which refuse nothing more.
  if (min !== undefined) schema = schema.check(z.minimum(min, { error }));
  return max === undefined ? schema : schema.check(z.maximum(max, { error }));
}

function boundsPhrase(min: number | undefined, max: number | undefined): string {
  if (min === undefined) return "";
  return max === undefined ? ` of at least ${min}` : ` from ${min} to ${max}`;
}

const integerChecks = new WeakSet<object>();
export const MAX_INTEGER = 2 ** 63;

/** Not `z.int`, which refuses integers above 2^53. */
function integerCheck(message: string, [min, max]: readonly [min: number, max: number]) {
  const check = z.check<number>(({ issues, value: input }) => {
    const issue = { origin: "int", input, message, continue: false } as const;
    if (!Number.isInteger(input)) issues.push({ ...issue, code: "invalid_type", expected: "int" });
    else if (input > max) issues.push({ ...issue, code: "too_big", maximum: max });
    else if (input < min) issues.push({ ...issue, code: "too_small", minimum: min });
  });
  integerChecks.add(check);
  return check;
}

/** Whether a number schema accepts only integers: `integer`, or `z.int` in a user's operation. */
export function isInteger({ checks = [], ...def }: z.core.$ZodNumberDef): boolean {
  const isInt = "format" in def && def.format === "safeint";
  return isInt || checks.some((check) => integerChecks.has(check));
}

export function flag() {
  return z.boolean({ error: "expected true or false" });
}

export function choice<const Values extends readonly [string, ...string[]]>(values: Values) {
  const error = `expected ${values.map((value) => JSON.stringify(value)).join(" or ")}`;
  return z.enum(values, { error });
}

/** One of these names. The message for another text shows it, and suggests the closest name. */
export function nameOf<const Names extends readonly [string, ...string[]]>(
  noun: string,
  names: Names,
) {
  const error = ({ input }: { readonly input?: unknown }) =>
    typeof input === "string"
      ? describeUnknown(
          `${noun} ${JSON.stringify(shorten(input, SHOWN_CHARACTERS))}`,
          closest(input, names),
          names,
        )
      : `expected the name of a ${noun}`;
  return z.enum(names, { error });
}

const SHOWN_CHARACTERS = 60;

export function listOf<Item extends z.ZodMiniType>(
  item: Item,
  noun: string,
  { max, min = 0 }: { min?: number; max?: number } = {},
) {
  const error = `expected an array of ${noun}`;
  let list = z.array(item, { error });
  const sized = (phrase: string) => ({ error: `${error}, ${phrase}`, ...onLists });
  if (min > 0) list = list.check(z.minLength(min, sized(`at least ${min}`)));
  if (max !== undefined) list = list.check(z.maxLength(max, sized(`at most ${max}`)));
  return list;
}

/**
 * A value that may be written in several ways. `convert` makes its output.
 * @param convert gives undefined for a value that is refused
 * @param expected the message for a refused value
 */
export function written<Output, Input>(
  convert: (value: unknown) => Output | undefined,
  expected: (value: unknown) => string,
) {
  return z
    .custom<Output, Input>((value) => convert(value) !== undefined, {
      error: ({ input }) => expected(input),
      abort: true,
    })
    .check(z.overwrite((value) => convert(value) as Output));
}

export const EXPECTED_OBJECT = "expected an object";

export function objectOf<Shape extends z.core.$ZodShape>(shape: Shape) {
  return z.object(shape, { error: EXPECTED_OBJECT });
}

/** An object that JSON Schema and OpenAPI documents define once, under this id. */
export function component<Shape extends z.core.$ZodShape>(
  id: string,
  description: string,
  shape: Shape,
) {
  return objectOf(shape).register(docs, { id, description });
}

/** An object of the input of an operation that refuses unknown members. */
export function closedObjectOf<Shape extends z.core.$ZodShape>(shape: Shape) {
  return z.strictObject(shape, { error: EXPECTED_KNOWN });
}

const EXPECTED_KNOWN = (issue: z.core.$ZodRawIssue) =>
  issue.code === "unrecognized_keys" ? undefined : EXPECTED_OBJECT;

function textPhrase(min: number, max: number | undefined): string {
  if (max === undefined)
    return min > 0 ? `a string of at least ${pluralize(min, "character")}` : "a string";
  return min > 0
    ? `a string of ${min} to ${max} characters`
    : `a string of at most ${pluralize(max, "character")}`;
}

/** The inner schema, without wrappers like optional, nullable and default. */
export function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  const { def } = schema._zod as z.core.$ZodTypes["_zod"];
  return "innerType" in def ? unwrap(def.innerType) : schema;
}

export function isNullable(schema: z.core.$ZodType): boolean {
  const { def } = schema._zod as z.core.$ZodTypes["_zod"];
  if (def.type === "nullable" || def.type === "catch") return true;
  return "innerType" in def && isNullable(def.innerType);
}

/** Whether an object schema ignores or refuses unknown members. Other object schemas read them. */
export function isPlainOrClosed({ catchall }: z.core.$ZodObjectDef): boolean {
  return catchall === undefined || catchall._zod.def.type === "never";
}
