import { root } from "./client.ts";

/** The URL of the emulator for clients, without a slash at its end. */
export const baseUrl: string = root.replace(/\/$/, "");

/**
 * A command for a terminal that makes the same call.
 * @param path like `/v2/keys.createKey`
 * @param body a text is sent as it is
 */
export function toCurl(path: string, token: string, body?: unknown): string {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return [
    `curl ${quote(baseUrl + path)}`,
    `-H ${quote(`Authorization: Bearer ${token}`)}`,
    ...(text === undefined ? [] : [`-H 'Content-Type: application/json'`, `-d ${quote(text)}`]),
  ].join(" \\\n  ");
}

/** Quotes for a POSIX shell, where only the quote itself is special within single quotes. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
