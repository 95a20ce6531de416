import { isId } from "../schema/id.ts";
import type { Quirks } from "./quirks.ts";

/**
 * A cursor is a position in the list: the last key of the page before. It refers to no record, so
 * it outlives the key that it names.
 */
export interface CursorFormat {
  encode(keyId: string): string;
  /** The key id in a cursor, or undefined for one that `encode` cannot have made. */
  decode(cursor: string): string | undefined;
}

export function cursorsWith(quirks: Quirks): CursorFormat {
  return quirks.has("plain-cursor") ? plain : opaque;
}

const plain: CursorFormat = { encode: (keyId) => keyId, decode: (cursor) => cursor };

/** Without padding; the last digit holds no bits that belong to nothing, so each text has one form. */
const BASE64URL = /^(?:[\w-]{4})*(?:[\w-]{2}[048AEIMQUYcgkosw]|[\w-][AQgw])?$/;
const [START, END] = ['{"key":"', '"}'];

/** Base64url of `{"key":"<id>"}`, as the service's documentation shows it. */
const opaque: CursorFormat = {
  encode(keyId) {
    // An id has no character that JSON would escape.
    const digits = btoa(START + keyId + END);
    const end = digits.indexOf("=");
    return toUrl(end === -1 ? digits : digits.slice(0, end));
  },

  decode(cursor) {
    if (!BASE64URL.test(cursor)) return undefined;
    const text = atob(fromUrl(cursor));
    if (!text.startsWith(START) || !text.endsWith(END)) return undefined;
    const keyId = text.slice(START.length, -END.length);
    return isId(keyId) ? keyId : undefined;
  },
};

/** The two digits that a URL spells in another way are seldom there. */
function toUrl(digits: string): string {
  const isSame = !digits.includes("+") && !digits.includes("/");
  return isSame ? digits : digits.replaceAll("+", "-").replaceAll("/", "_");
}

function fromUrl(digits: string): string {
  const isSame = !digits.includes("-") && !digits.includes("_");
  return isSame ? digits : digits.replaceAll("-", "+").replaceAll("_", "/");
}
