import type * as z from "zod/mini";
import { isRecord } from "./is-record.ts";
import type { Schema } from "./schema.ts";

/**
 * Reads an input that certainly fits, or returns undefined: what does not fit, or may not, and what
 * has members that no schema names, is for the schema itself, which also says what is wrong.
 */
export type QuickReader<Output> = (input: unknown) => Output | undefined;

type Read = (input: unknown) => unknown;

/** Not a value that a schema could give back. */
const UNSURE = Symbol("unsure");

/**
 * A reader of what nearly every client sends, put together once of the parts of a schema; undefined
 * for a schema with a part that is not known below. For the body of a key with everything it takes
 * 2 µs, and zod, which does the same work by way of objects that could hold problems, 25 µs.
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
  const read = "coerce" in def && def.coerce ? undefined : baseOf(def);
  const checks = [...(def.checks ?? []), ...("check" in def ? [schema] : [])];
  const tests = checks.map((check) => testOf((check as z.core.$ZodCheck)._zod.def));
  if (read === undefined || !tests.every((isGood) => isGood !== undefined)) return undefined;
  if (tests.length === 0) return read;
  return (input) => {
    const value = read(input);
    if (value === UNSURE) return UNSURE;
    for (const isGood of tests) if (!isGood(value as never)) return UNSURE;
    return value;
  };
}

/** Without its checks. */
function baseOf(def: z.core.$ZodTypes["_zod"]["def"]): Read | undefined {
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
    case "custom":
      return (input) => input;
    case "optional":
    case "default":
      // One that is not there is seen to by the object that it is a member of.
      return readerOf(def.innerType);
    case "transform":
      return (input) => {
        const payload = { value: input, issues: [] };
        const value = def.transform(input, payload);
        return payload.issues.length === 0 ? value : UNSURE;
      };
    case "pipe":
      // A codec has transforms of its own.
      return "transform" in def ? undefined : ofPipe(readerOf(def.in), readerOf(def.out));
    case "array":
      return ofArray(readerOf(def.element));
    case "object":
      return def.catchall === undefined ? ofObject(def.shape) : undefined;
    default:
      return undefined;
  }
}

function ofPipe(first: Read | undefined, second: Read | undefined): Read | undefined {
  if (first === undefined || second === undefined) return undefined;
  return (input) => {
    const value = first(input);
    return value === UNSURE ? UNSURE : second(value);
  };
}

function ofArray(element: Read | undefined): Read | undefined {
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
  /** Stands in where it is left out. */
  readonly fallback: unknown;
}

function ofObject(shape: z.core.$ZodShape): Read | undefined {
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
      const given = input[name];
      if (given === undefined) {
        if (isRequired || name in input) return UNSURE;
        if (fallback !== undefined) output[name] = fallback;
        continue;
      }
      const value = read(given);
      if (value === UNSURE) return UNSURE;
      output[name] = value;
      found += 1;
    }
    // What is left has no name here, and somebody has to be told.
    return Object.keys(input).length === found ? output : UNSURE;
  };
}

type Test = (value: never) => boolean;

/** Whether a value certainly passes a check. */
function testOf(def: z.core.$ZodCheckDef): Test | undefined {
  const check = def as z.core.$ZodChecks["_zod"]["def"];
  switch (check.check) {
    case "min_length": {
      const { minimum } = check;
      // Characters beyond the basic plane are two units long and count as one.
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
