import { isId } from "./fields.ts";

/**
 * A cursor is a position in the list, written as base64url of `{"key":"<id>"}`: the last key of
 * the page before. It refers to no record, so it outlives the key that it names.
 */

const BASE64URL = /^[A-Za-z0-9_-]+$/;

export function encodeCursor(keyId: string): string {
  return btoa(JSON.stringify({ key: keyId }))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}

/** The key id in a cursor, or undefined for one that `encodeCursor` cannot have made. */
export function decodeCursor(cursor: string): string | undefined {
  if (!BASE64URL.test(cursor)) return undefined;
  try {
    const position: unknown = JSON.parse(atob(cursor.replaceAll("-", "+").replaceAll("_", "/")));
    const keyId = (position as { key?: unknown } | null)?.key;
    const isPosition = typeof keyId === "string" && isId(keyId) && encodeCursor(keyId) === cursor;
    return isPosition ? keyId : undefined;
  } catch {
    return undefined;
  }
}
