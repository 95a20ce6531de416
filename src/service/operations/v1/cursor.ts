import { isId } from "../../../schema/id.ts";
import type { Quirks } from "../../../api/quirks.ts";

/** A cursor is the id of the last key of the previous page. It stays valid when that key is deleted. */
export interface CursorFormat {
  encode(keyId: string): string;
  /** The key id in a cursor; undefined for text that `encode` never returns. */
  decode(cursor: string): string | undefined;
}

export function cursorsWith(quirks: Quirks): CursorFormat {
  return quirks.has("plain-cursor") ? plain : opaque;
}

const plain: CursorFormat = { encode: (keyId) => keyId, decode: (cursor) => cursor };

/**
 * Base64url without padding. The unused bits of the last digit must be zero, so that each cursor has
 * only one spelling: https://www.rfc-editor.org/rfc/rfc4648#section-3.5
 */
const BASE64URL = /^(?:[\w-]{4})*(?:[\w-]{2}[048AEIMQUYcgkosw]|[\w-][AQgw])?$/;
/** More than the longest id needs. With millions of characters, the pattern overflows V8's stack. */
const MAX_LENGTH = 1_000;
const [START, END] = ['{"key":"', '"}'];

/** Base64url of `{"key":"<id>"}`, as in the service's documentation. */
const opaque: CursorFormat = {
  encode(keyId) {
    // Ids have no characters that JSON would escape.
    const digits = btoa(START + keyId + END);
    return digits.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  },

  decode(cursor) {
    if (cursor.length > MAX_LENGTH || !BASE64URL.test(cursor)) return undefined;
    const text = atob(cursor.replaceAll("-", "+").replaceAll("_", "/"));
    if (!text.startsWith(START) || !text.endsWith(END)) return undefined;
    const keyId = text.slice(START.length, -END.length);
    return isId(keyId) ? keyId : undefined;
  },
};
