import type * as z from "zod/mini";
import { isRecord } from "../../schema/is-record.ts";
import { isInteger, unwrap } from "../../schema/unwrap.ts";

/** A number with a point or an exponent in JSON. It may also be a part of a string, so this only finds candidates. */
const CANDIDATE = /[:,[]\s*-?\d+[.eE]/;
/** Stands for such a number. Where the schema wants an integer, no other text can stand. */
const MARK = "float";

/**
 * The path of the first integer that the text writes like `5.0` or `1e3`; undefined if there is none.
 * @param text valid JSON that fits the schema
 */
export function findFloat(
  schema: z.core.$ZodType,
  text: string,
): readonly PropertyKey[] | undefined {
  return CANDIDATE.test(text) ? findMark(schema, JSON.parse(markFloats(text))) : undefined;
}

const [QUOTE, BACKSLASH, MINUS, PLUS, POINT] = [0x22, 0x5c, 0x2d, 0x2b, 0x2e];
const [ZERO, NINE, LARGE_E, SMALL_E] = [0x30, 0x39, 0x45, 0x65];

/** Puts marks in place of numbers with a point or an exponent. Compares codes, because texts may be long. */
function markFloats(text: string): string {
  let marked = "";
  let copied = 0;
  let isText = false;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) isText = !isText;
    else if (isText) index += code === BACKSLASH ? 1 : 0;
    else if (code === MINUS || isDigit(code)) {
      let end = index + 1;
      let isFloat = false;
      for (; isOfNumber(text.charCodeAt(end)); end += 1) isFloat ||= !isDigit(text.charCodeAt(end));
      if (isFloat) {
        marked += `${text.slice(copied, index)}"${MARK}"`;
        copied = end;
      }
      index = end - 1;
    }
  }
  return marked + text.slice(copied);
}

/** In valid JSON, anything else than a digit behind the first one makes a number a float. */
function isOfNumber(code: number): boolean {
  return isDigit(code) || [POINT, LARGE_E, SMALL_E, MINUS, PLUS].includes(code);
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE;
}

function findMark(schema: z.core.$ZodType, value: unknown): readonly PropertyKey[] | undefined {
  const { def } = unwrap(schema)._zod as z.core.$ZodTypes["_zod"];
  if (def.type === "number") return value === MARK && isInteger(def) ? [] : undefined;
  const members: [PropertyKey, z.core.$ZodType, unknown][] = [];
  if (def.type === "array" && Array.isArray(value)) {
    value.forEach((item, index) => members.push([index, def.element, item]));
  }
  if (def.type === "object" && isRecord(value)) {
    for (const [name, member] of Object.entries(def.shape))
      members.push([name, member, value[name]]);
  }
  for (const [step, member, inner] of members) {
    const path = findMark(member, inner);
    if (path !== undefined) return [step, ...path];
  }
  return undefined;
}
