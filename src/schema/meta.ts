import * as z from "zod/mini";
import { lazily } from "../base/lazily.ts";
import * as f from "./fields.ts";
import { isRecord } from "../base/json.ts";

/** Free-form data of a key or an identity. */
export type Meta = Readonly<Record<string, unknown>>;

/** The service stores the `meta` of a key in a text column of this size. */
export const MAX_KEY_BYTES = 65_535;
/** The size of the `meta` of an identity, in bytes of JSON. */
export const MAX_IDENTITY_BYTES = 1_048_576;
/**
 * `meta` itself is level one. The service has no such limit. Here, deeper recursion could overflow the
 * stack.
 */
const MAX_DEPTH = 100;

/** Serializes a value; undefined if JSON has no such value. */
type ToJson = (value: unknown) => string | undefined;

/**
 * Returns the object itself, because a copy would lose members like `__proto__`.
 * @param toJson makes the JSON whose size counts
 */
export function metaUpTo(max: number, toJson: ToJson = JSON.stringify) {
  const isObject = z.refine<unknown>(isRecord, { error: "expected an object", abort: true });
  const isShallow = z.refine<unknown>((value) => isWithinDepth(value, MAX_DEPTH), {
    error: `expected at most ${MAX_DEPTH} levels of nesting`,
    abort: true,
  });
  const isJson: z.core.CheckFn<unknown> = ({ issues, value: input }) => {
    const path = pathOfNoJson(input);
    const message = "expected values that JSON can hold";
    if (path !== undefined) issues.push({ code: "custom", input, path, message, continue: false });
  };
  const error = `expected at most ${max} bytes of JSON`;
  // This check comes first, because it stops at the limit. The others then never see a huge value.
  const isModest = z.refine<unknown>((value) => leastBytes(value, MAX_DEPTH, max) <= max, {
    error,
    abort: true,
  });
  const isSmall = z.refine<unknown>((value) => isWithinBytes(value, max, toJson), { error });
  return f.described(z.custom<Meta>().check(isObject, isModest, isShallow, isJson, isSmall), {
    type: "object",
    additionalProperties: true,
    description: "Free-form data.",
  });
}

export const meta = lazily(() => metaUpTo(MAX_KEY_BYTES));
export const identityMeta = lazily(() => metaUpTo(MAX_IDENTITY_BYTES));
/** For an operation that checks the size itself, and refuses it later than the schema would. */
export const metaOfAnySize = lazily(() => metaUpTo(Infinity));

/**
 * A lower bound of the size as JSON. It stops counting above `max`, and ignores what is nested deeper
 * than `levels`.
 */
function leastBytes(value: unknown, levels: number, max: number): number {
  if (typeof value === "string") return value.length + 2;
  if (typeof value !== "object" || value === null || levels === 0) return 1;
  let bytes = 1;
  if (Array.isArray(value)) {
    // One byte for the comma or bracket after each item.
    for (const item of value) {
      bytes += leastBytes(item, levels - 1, max) + 1;
      if (bytes > max) break;
    }
    return bytes;
  }
  for (const name of Object.keys(value)) {
    const member = (value as Meta)[name];
    // JSON leaves it out.
    if (member === undefined) continue;
    // Two quotes, a colon, and a comma or bracket.
    bytes += name.length + 3 + leastBytes(member, levels - 1, max) + 1;
    if (bytes > max) break;
  }
  return bytes;
}

/** Stops below the limit, so that a cycle cannot overflow the stack. */
function isWithinDepth(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (levels === 0) return false;
  return Object.values(value).every((member) => isWithinDepth(member, levels - 1));
}

/** The path of the first value that JSON would leave out or convert: NaN, a function, a date. */
function pathOfNoJson(value: unknown): PropertyKey[] | undefined {
  switch (typeof value) {
    case "string":
    case "boolean":
      return undefined;
    case "number":
      return Number.isFinite(value) ? undefined : [];
    case "object": {
      if (value === null) return undefined;
      if (typeof (value as { toJSON?: unknown }).toJSON === "function") return [];
      const isList = Array.isArray(value);
      for (const [name, member] of Object.entries(value)) {
        if (member === undefined && !isList) continue;
        const path = pathOfNoJson(member);
        if (path !== undefined) return [isList ? Number(name) : name, ...path];
      }
      return undefined;
    }
    default:
      return [];
  }
}

function isWithinBytes(value: unknown, max: number, toJson: ToJson): boolean {
  // Most values are so small that they need not be serialized.
  if (maxBytes(value) <= max) return true;
  return new TextEncoder().encode(toJson(value)).length <= max;
}

/** An upper bound of the size as JSON: a UTF-16 unit takes at most six bytes, as an escape. */
function maxBytes(value: unknown): number {
  if (typeof value === "string") return 6 * value.length + 2;
  if (typeof value !== "object" || value === null) return 25;
  let bytes = 2;
  for (const name in value) bytes += 6 * name.length + 4 + maxBytes((value as Meta)[name]);
  return bytes;
}
