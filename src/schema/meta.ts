import * as z from "zod/mini";
import { docs } from "./fields.ts";
import { isRecord } from "../base/is-record.ts";

/** Free-form data of a key or an identity. */
export type Meta = Readonly<Record<string, unknown>>;

/** The service stores `meta` in a text column of this size. */
const MAX_BYTES = 65_535;
/**
 * `meta` itself is level one. The service has no such limit. Here, deeper recursion could overflow the
 * stack.
 */
const MAX_DEPTH = 100;

const isObject = z.refine<unknown>(isRecord, { error: "expected an object", abort: true });
const isShallow = z.refine<unknown>((value) => isWithinDepth(value, MAX_DEPTH), {
  error: `expected at most ${MAX_DEPTH} levels of nesting`,
  abort: true,
});
const isJson = z.refine<unknown>(holdsJson, {
  error: "expected values that JSON can hold",
  abort: true,
});
const EXPECTED_SIZE = `expected at most ${MAX_BYTES} bytes of JSON`;
/** This check comes first, because it stops at the limit. The others then never see a huge value. */
const isModest = z.refine<unknown>((value) => leastBytes(value, MAX_DEPTH) <= MAX_BYTES, {
  error: EXPECTED_SIZE,
  abort: true,
});
const isSmall = z.refine<unknown>(isWithinBytes, { error: EXPECTED_SIZE });

/** Returns the object itself and no copy, which would lose members like `__proto__`. */
export const meta = z
  .custom<Meta>()
  .check(isObject, isModest, isShallow, isJson, isSmall)
  .register(docs, { type: "object", additionalProperties: true, description: "Free-form data." });

/**
 * A lower bound of the size as JSON. It stops counting above the limit, and ignores what is nested
 * deeper than `levels`.
 */
function leastBytes(value: unknown, levels: number): number {
  if (typeof value === "string") return value.length + 2;
  if (typeof value !== "object" || value === null || levels === 0) return 1;
  let bytes = 1;
  if (Array.isArray(value)) {
    // One byte for the comma or bracket after each item.
    for (const item of value) {
      bytes += leastBytes(item, levels - 1) + 1;
      if (bytes > MAX_BYTES) break;
    }
    return bytes;
  }
  for (const name of Object.keys(value)) {
    const member = (value as Meta)[name];
    // JSON leaves it out.
    if (member === undefined) continue;
    // Two quotes, a colon, and a comma or bracket.
    bytes += name.length + 3 + leastBytes(member, levels - 1) + 1;
    if (bytes > MAX_BYTES) break;
  }
  return bytes;
}

/** Stops below the limit, so that a cycle cannot overflow the stack. */
function isWithinDepth(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (levels === 0) return false;
  return Object.values(value).every((member) => isWithinDepth(member, levels - 1));
}

/** False for values that JSON would leave out or convert: NaN, functions, dates. */
function holdsJson(value: unknown): boolean {
  switch (typeof value) {
    case "string":
    case "boolean":
      return true;
    case "number":
      return Number.isFinite(value);
    case "object":
      if (value === null) return true;
      if (typeof (value as { toJSON?: unknown }).toJSON === "function") return false;
      return Object.values(value).every(
        (member) => holdsJson(member) || (member === undefined && !Array.isArray(value)),
      );
    default:
      return false;
  }
}

function isWithinBytes(value: unknown): boolean {
  // Most values are so small that they need not be serialized.
  if (maxBytes(value) <= MAX_BYTES) return true;
  return new TextEncoder().encode(JSON.stringify(value)).length <= MAX_BYTES;
}

/** An upper bound of the size as JSON: a UTF-16 unit takes at most six bytes, as an escape. */
function maxBytes(value: unknown): number {
  if (typeof value === "string") return 6 * value.length + 2;
  if (typeof value !== "object" || value === null) return 25;
  let bytes = 2;
  for (const name in value) bytes += 6 * name.length + 4 + maxBytes((value as Meta)[name]);
  return bytes;
}
