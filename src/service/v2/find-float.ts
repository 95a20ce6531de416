import type * as z from "zod/mini";
import { isRecord } from "../../schema/is-record.ts";
import { isInteger, unwrap } from "../../schema/unwrap.ts";

const FLOAT = /\d[.eE]/;
/** Such a number in JSON. It may also be a part of a string, so this only finds candidates. */
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

const NUMBER = /[-+.\dEe]/;

/** Puts marks in place of numbers with a point or an exponent. */
function markFloats(text: string): string {
  let marked = "";
  let copied = 0;
  let isText = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charAt(index);
    if (character === '"') isText = !isText;
    else if (isText) index += character === "\\" ? 1 : 0;
    else if (character === "-" || (character >= "0" && character <= "9")) {
      let end = index + 1;
      while (NUMBER.test(text.charAt(end))) end += 1;
      if (FLOAT.test(text.slice(index, end))) {
        marked += `${text.slice(copied, index)}"${MARK}"`;
        copied = end;
      }
      index = end - 1;
    }
  }
  return marked + text.slice(copied);
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
