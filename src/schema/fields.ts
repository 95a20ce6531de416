import * as z from "zod/mini";
import { closest, describeUnknown, pluralize, shorten } from "../base/wording/text.ts";
import { lazily } from "../base/lazily.ts";
import { EXPECTED_ID, ID } from "./id.ts";
import { isRecord } from "../base/json.ts";
import type { Schema } from "./schema.ts";

/**
 * Descriptions and JSON Schema keywords that zod cannot derive from a schema. `toJsonSchema` adds
 * them.
 */
export const docs = z.registry<Record<string, unknown>>();

/** A copy of a schema with another description, for a schema that is used in several places. */
export function described<Schema extends z.ZodMiniType>(
  schema: Schema,
  description: string,
): Schema {
  const copy = schema.clone();
  docs.add(copy, { description });
  return copy as Schema;
}

export function optional<Schema extends z.ZodMiniType>(schema: Schema, description: string) {
  return z.optional(described(schema, description));
}

/** The same schema, for values of a type that it cannot express, like a list that is only read. */
export function typed<Value>(schema: z.ZodMiniType) {
  return schema as z.ZodMiniType as z.ZodMiniCustom<Value, Value>;
}

/** What a route shows, as the schema that a function makes describes it. */
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

export function text(size: { min?: number; max?: number } = {}) {
  const { min = 0, max } = size;
  const error = `expected ${textPhrase(min, max)}`;
  const params = { error, ...onStrings };
  let schema = z.string({ error });
  if (min > 0) schema = schema.check(z.minLength(min, params));
  return max === undefined ? schema : schema.check(z.maxLength(max, params));
}

export function filledText(error = "expected text that is not empty") {
  return z.string({ error }).check(z.minLength(1, { error }));
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
  const params = { error, ...onStrings };
  return z
    .string({ error })
    .check(z.minLength(min, params), z.maxLength(max, params), z.regex(pattern, params));
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

/** Whether a number schema takes only integers: that of `integer`, or `z.int` in a user's operation. */
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
  wrapParser(list, (parse) => (payload, context) => parseInParts(parse, payload, context));
  return list;
}

/**
 * A short form as text, or an object or a list. The type of the value picks the schema, so problems are
 * reported at the members or items. A plain union would report one problem, for the whole value.
 */
export function textOr<
  Text extends z.ZodMiniType,
  Long extends z.ZodMiniObject | z.ZodMiniArray<z.ZodMiniType>,
>(plain: Text, long: Long, error: string) {
  const either = z.union([plain, long], { error });
  const { run } = either._zod;
  const isLong = long._zod.def.type === "array" ? Array.isArray : isRecord;
  either._zod.run = (payload, context) => {
    const { value } = payload;
    if (typeof value === "string") return plain._zod.run(payload, context);
    return (isLong(value) ? long._zod.run : run)(payload, context);
  };
  return either;
}

type Parse = z.core.$ZodTypeInternals["parse"];

/** What the reader of an input knows. `readAs` passes it to all schemas. */
export interface ReadContext extends z.core.ParseContext<z.core.$ZodIssue> {
  /** The time from which relative times count, in unix milliseconds. Default: the real time. */
  readonly now?: number | undefined;
}

/**
 * A number that may be written in other ways, which `convert` reads. Never clone it, as `described` and
 * `check` do: a clone would refuse everything but numbers, and would not convert them.
 * @param convert gives undefined for a value that is refused
 * @param expected the message for a refused value
 */
export function written<Input>(
  convert: (value: unknown, context: ReadContext) => number | undefined,
  expected: (value: unknown) => string,
) {
  const schema = z.custom<number, Input>((value) => typeof value === "number");
  wrapParser(schema, () => (payload, context) => {
    const { value: input } = payload;
    const value = convert(input, context as ReadContext);
    if (value !== undefined) payload.value = value;
    else payload.issues.push({ code: "custom", input, path: [], message: expected(input) });
    return payload;
  });
  return schema;
}

/**
 * Wraps the parser of a schema. A setter keeps the wrapper: once a program has made a list or an object
 * with `zod` itself, not `zod/mini`, zod 4.6 wraps the parser of every new schema too, also those here,
 * and at the first parse sets the one that it had wrapped (`memoizer.js`).
 */
function wrapParser({ _zod }: z.core.$ZodType, wrap: (parse: Parse) => Parse): void {
  const { run } = _zod;
  let inner = _zod.parse;
  const wrapper = wrap((payload, context) => inner(payload, context));
  // Without checks, zod calls the parser itself.
  if (run === inner) _zod.run = wrapper;
  Object.defineProperty(_zod, "parse", {
    get: () => wrapper,
    set: (next) => {
      inner = next;
    },
  });
}

/**
 * Parses a long list in parts, and stops after the part in which too many items are wrong, because
 * issues take time. zod also passes all issues of a list to one `push(...issues)`, and a call with
 * 130,000 arguments overflows the stack: https://github.com/nodejs/node/issues/27732
 */
function parseInParts(
  parse: Parse,
  payload: z.core.ParsePayload,
  context: z.core.ParseContextInternal,
) {
  const { issues, value: items } = payload;
  if (!Array.isArray(items) || items.length <= MAX_LIST_ISSUES) return parse(payload, context);
  const values: unknown[] = [];
  for (let start = 0; start < items.length; start += MAX_LIST_ISSUES) {
    const end = start + MAX_LIST_ISSUES;
    const part = parse({ value: items.slice(start, end), issues: [] }, context);
    if (part instanceof Promise) return parse(payload, context);
    for (const value of part.value as unknown[]) values.push(value);
    for (const { path: [index, ...rest] = [], ...issue } of part.issues) {
      // zod checks the size of the whole list later.
      if (index === undefined) continue;
      issues.push({ ...issue, path: [start + Number(index), ...rest] } as z.core.$ZodRawIssue);
    }
    if (issues.length <= MAX_LIST_ISSUES) continue;
    issues.length = MAX_LIST_ISSUES;
    const message = `expected valid items; only the first ${MAX_LIST_ISSUES} problems are reported`;
    issues.push({ code: "custom", input: items, path: [], message });
    break;
  }
  payload.value = values;
  return payload;
}

/** Also the number of items of a part. */
const MAX_LIST_ISSUES = 1_000;

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

/**
 * Gives an open object zod's compiled parser, which `zod/mini` leaves out. It is only for the inputs of
 * operations. Without `eval`, it is not used.
 */
export function compiled<Of extends Schema>(schema: Of): Of {
  const { def } = (schema as unknown as z.core.$ZodTypes)._zod;
  if (def.type === "object" && def.catchall === undefined) compile(schema as never);
  return schema;
}

/**
 * Compiling a parser takes 1 ms, as long as some hundred reads, and most tests call an operation less
 * often than that.
 */
const READS_BEFORE_COMPILING = 100;

function compile(schema: z.core.$ZodObject): void {
  const fast = lazily(() => new z.core.$ZodObjectJIT(schema._zod.def));
  let reads = 0;
  wrapParser(schema, (parse) => (payload, context) => {
    if (reads === READS_BEFORE_COMPILING) return fast()._zod.parse(payload, context);
    reads += 1;
    return parse(payload, context);
  });
}

/** An object of the input of an operation that refuses unknown members. Its parser is compiled. */
export function closedObjectOf<Shape extends z.core.$ZodShape>(shape: Shape) {
  const closed = z.strictObject(shape, { error: EXPECTED_KNOWN });
  compile(closed);
  const most = Object.keys(shape).length + MAX_UNKNOWN;
  wrapParser(closed, (parse) => (payload, context) => {
    const { value } = payload;
    if (isRecord(value) && Object.keys(value).length > most)
      payload.value = withFewUnknown(shape, value, most);
    return parse(payload, context);
  });
  return closed;
}

/** More than any message names. */
const MAX_UNKNOWN = 100;

/** A copy of an object without most of its unknown members, each of which takes zod time. */
function withFewUnknown(shape: z.core.$ZodShape, value: Record<string, unknown>, most: number) {
  const names = Object.keys(value);
  const known = names.filter((name) => Object.hasOwn(shape, name));
  const unknown = names.slice(0, most).filter((name) => !Object.hasOwn(shape, name));
  return Object.fromEntries([...known, ...unknown].map((name) => [name, value[name]]));
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
  switch (def.type) {
    case "optional":
    case "nonoptional":
    case "nullable":
    case "readonly":
    case "default":
    case "prefault":
    case "catch":
      return unwrap(def.innerType);
    default:
      return schema;
  }
}

export function isNullable(schema: z.core.$ZodType): boolean {
  const { def } = schema._zod as z.core.$ZodTypes["_zod"];
  switch (def.type) {
    case "nullable":
    case "catch":
      return true;
    case "optional":
    case "nonoptional":
    case "readonly":
    case "default":
    case "prefault":
      return isNullable(def.innerType);
    default:
      return false;
  }
}

/** Whether an object schema ignores or refuses unknown members. Other object schemas read them. */
export function isPlainOrClosed({ catchall }: z.core.$ZodObjectDef): boolean {
  return catchall === undefined || catchall._zod.def.type === "never";
}
