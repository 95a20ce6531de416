import { escapeOf } from "../../base/wording/text.ts";
import { toJson } from "../wire-json.ts";
import type { Meta } from "../../schema/meta.ts";

/** Characters that Go's JSON encoder, which the service uses, escapes in strings. */
const ESCAPED = /[<>&\u2028\u2029]/g;

/** Serializes a value as the service does; undefined if JSON has no such value. */
export function toWireJson(value: unknown): string | undefined {
  const text = toJson(value);
  // In JSON, these characters occur only in strings.
  const escaped = text?.replace(ESCAPED, escapeOf);
  return escaped?.includes(MARK) ? escaped.replaceAll(MARKED_NAME, '"$1') : escaped;
}

/**
 * Put before names like `10`, which JavaScript would list before all other members and in numeric order.
 * `toWireJson` removes it. No valid text contains this character.
 */
const MARK = "\uffff";
const MARKED_NAME = /"\uffff(\uffff*\d+":)/g;
const NUMERIC_NAME = /^\uffff*\d+$/;

const inWireOrder = new WeakMap<Meta, Meta>();

/** The `meta` of a record as v2 answers it: members in the order of their bytes, at every depth. */
export function toWireMeta(meta: Meta): Meta {
  let wire = inWireOrder.get(meta);
  if (wire === undefined) inWireOrder.set(meta, (wire = sorted(meta) as Meta));
  return wire;
}

function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  // Without a prototype, so that `__proto__` is an ordinary member.
  const copy = Object.create(null) as Record<string, unknown>;
  for (const name of Object.keys(value).sort(byBytes)) {
    copy[NUMERIC_NAME.test(name) ? MARK + name : name] = sorted((value as Meta)[name]);
  }
  return copy;
}

/** Compares texts as their bytes in UTF-8. In JavaScript, some emojis come before other characters. */
function byBytes(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a.charCodeAt(at) === b.charCodeAt(at)) at += 1;
  return at < a.length && at < b.length ? rankAt(a, at) - rankAt(b, at) : a.length - b.length;
}

function rankAt(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  const isSurrogate = unit >= 0xd8_00 && unit <= 0xdf_ff;
  return isSurrogate ? unit + 0x1_00_00 : unit;
}
