import { isId } from "./fields.ts";
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

const BASE64URL = /^[A-Za-z0-9_-]+$/;

/** Base64url of `{"key":"<id>"}`, as the service's documentation shows it. */
const opaque: CursorFormat = {
  encode(keyId) {
    return btoa(JSON.stringify({ key: keyId }))
      .replaceAll("+", "-")
      .replaceAll("/", "_")
      .replaceAll("=", "");
  },

  decode(cursor) {
    if (!BASE64URL.test(cursor)) return undefined;
    try {
      const position: unknown = JSON.parse(atob(cursor.replaceAll("-", "+").replaceAll("_", "/")));
      const keyId = (position as { key?: unknown } | null)?.key;
      const isPosition =
        typeof keyId === "string" && isId(keyId) && opaque.encode(keyId) === cursor;
      return isPosition ? keyId : undefined;
    } catch {
      return undefined;
    }
  },
};
