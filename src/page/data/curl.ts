import type { Client } from "./client.ts";

/**
 * A command for a terminal that makes the same call; undefined if no terminal can reach the emulator.
 * @param path like `/v2/keys.createKey`
 * @param body a text is sent as it is
 */
export function toCurl({ token, way }: Client, path: string, body?: unknown): string | undefined {
  const { baseUrl } = way;
  if (baseUrl === undefined) return undefined;
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
