import type * as z from "zod/mini";
import { isRecord } from "./is-record.ts";
import { isPlainOrClosed } from "./unwrap.ts";
import type { Schema } from "./schema.ts";

/**
 * Reads an input that is certainly valid, as the schema would. Returns undefined for any other:
 * input that is or may be invalid, or that has unknown members. The caller then uses the schema
 * itself, which also reports the problems.
 */
export type QuickReader<Output> = (input: unknown) => Output | undefined;

type Read = (input: unknown) => unknown;

/** Stands for "use the schema". A symbol, because undefined is a valid output of a transform. */
const UNSURE = Symbol("unsure");

/**
 * Builds a fast reader from a schema, for the valid input that nearly every client sends; undefined
 * for a schema with a part that is not handled below. It takes 2 µs for a create-key body with all
 * members, and zod 25 µs, because zod allocates an object for the issues of each value.
 */
export function quickReader(schema: Schema): QuickReader<unknown> | undefined {
  const read = readerOf(schema as unknown as z.core.$ZodType);
  if (read === undefined) return undefined;
  return (input) => {
    const output = read(input);
    return output === UNSURE ? undefined : output;
  };
}

function readerOf(schema: z.core.$ZodType): Read | undefined {
  const { def } = schema._zod as z.core.$ZodTypes["_zod"];
  const read = "coerce" in def && def.coerce ? undefined : typeReaderOf(def);
  // A schema like `z.int()` is its own check.
  const checks = [...(def.checks ?? []), ...("check" in def ? [schema] : [])];
  const tests = checks.map((check) => testOf((check as z.core.$ZodCheck)._zod.def));
  if (read === undefined || !tests.every((passes) => passes !== undefined)) return undefined;
  if (tests.length === 0) return read;
  return (input) => {
    const value = read(input);
    if (value === UNSURE) return UNSURE;
    for (const passes of tests) if (!passes(value as never)) return UNSURE;
    return value;
  };
}

/** A reader of the type alone, without the checks. */
function typeReaderOf(def: z.core.$ZodTypes["_zod"]["def"]): Read | undefined {
  switch (def.type) {
    case "string":
      return (input) => (typeof input === "string" ? input : UNSURE);
    case "number":
      return (input) => (typeof input === "number" ? input : UNSURE);
    case "boolean":
      return (input) => (typeof input === "boolean" ? input : UNSURE);
    case "enum": {
      const values = new Set<unknown>(Object.values(def.entries));
      return (input) => (values.has(input) ? input : UNSURE);
    }
    case "unknown":
    case "custom":
      return (input) => input;
    case "optional":
    case "default":
      // The object that contains the member handles its absence.
      return readerOf(def.innerType);
    case "transform":
      return (input) => {
        const payload = { value: input, issues: [] };
        const value = def.transform(input, payload);
        return payload.issues.length === 0 ? value : UNSURE;
      };
    case "pipe":
      // A codec is a pipe with transforms; it is left to zod.
      return "transform" in def ? undefined : pipeReader(readerOf(def.in), readerOf(def.out));
    case "array":
      return arrayReader(readerOf(def.element));
    case "object":
      // The caller reports unknown members of either kind of object.
      return isPlainOrClosed(def) ? objectReader(def.shape) : undefined;
    case "nullable": {
      const read = readerOf(def.innerType);
      return read && ((input) => (input === null ? null : read(input)));
    }
    default:
      return undefined;
  }
}

function pipeReader(first: Read | undefined, second: Read | undefined): Read | undefined {
  if (first === undefined || second === undefined) return undefined;
  return (input) => {
    const value = first(input);
    return value === UNSURE ? UNSURE : second(value);
  };
}

function arrayReader(element: Read | undefined): Read | undefined {
  if (element === undefined) return undefined;
  return (input) => {
    if (!Array.isArray(input)) return UNSURE;
    const output: unknown[] = [];
    for (const item of input) {
      const value = element(item);
      if (value === UNSURE) return UNSURE;
      output.push(value);
    }
    return output;
  };
}

interface Member {
  readonly name: string;
  readonly read: Read;
  readonly isRequired: boolean;
  /** The default value, for input without this member. */
  readonly fallback: unknown;
}

function objectReader(shape: z.core.$ZodShape): Read | undefined {
  const members = Object.entries(shape).flatMap(([name, schema]): Member[] => {
    const { def } = schema._zod as z.core.$ZodTypes["_zod"];
    const read = readerOf(schema);
    const isRequired = def.type !== "optional" && def.type !== "default";
    const fallback = def.type === "default" ? def.defaultValue : undefined;
    return read === undefined ? [] : [{ name, read, isRequired, fallback }];
  });
  if (members.length < Object.keys(shape).length) return undefined;
  return (input) => {
    if (!isRecord(input)) return UNSURE;
    const output: Record<string, unknown> = {};
    let found = 0;
    for (const { name, read, isRequired, fallback } of members) {
      const inputValue = input[name];
      if (inputValue === undefined) {
        if (isRequired || name in input) return UNSURE;
        if (fallback !== undefined) output[name] = fallback;
        continue;
      }
      const value = read(inputValue);
      if (value === UNSURE) return UNSURE;
      output[name] = value;
      found += 1;
    }
    // More keys than members found: some are unknown, and the caller reports those.
    return Object.keys(input).length === found ? output : UNSURE;
  };
}

type Test = (value: never) => boolean;

/**
 * A test for a check; undefined for a kind of check that is not handled. A test may fail for a
 * valid value, but never passes for an invalid one.
 */
function testOf(def: z.core.$ZodCheckDef): Test | undefined {
  const check = def as z.core.$ZodChecks["_zod"]["def"];
  switch (check.check) {
    case "min_length": {
      const { minimum } = check;
      // zod counts code points, and `length` counts UTF-16 units: up to two for each code point.
      return ({ length }: string | unknown[]) =>
        length >= minimum * 2 || (minimum < 2 && length >= minimum);
    }
    case "max_length":
      return ({ length }: string | unknown[]) => length <= check.maximum;
    case "greater_than":
      return (value: number) =>
        check.inclusive ? value >= Number(check.value) : value > Number(check.value);
    case "less_than":
      return (value: number) =>
        check.inclusive ? value <= Number(check.value) : value < Number(check.value);
    case "number_format":
      return check.format === "safeint"
        ? (value: number) => Number.isSafeInteger(value)
        : undefined;
    case "custom" as never:
      return (def as unknown as { readonly fn: (value: unknown) => unknown }).fn as Test;
    default:
      return undefined;
  }
}
