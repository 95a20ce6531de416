import { inShell } from "../../base/wording/text.ts";
import type { Client } from "./client.ts";

/**
 * A command for a terminal that makes the same call; undefined if no terminal can reach the emulator.
 * @param path like `/v2/keys.createKey`
 * @param body a text is sent as it is
 */
export function toCurl(
  { token, connection }: Client,
  path: string,
  body?: unknown,
): string | undefined {
  const { baseUrl } = connection;
  if (baseUrl === undefined) return undefined;
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return [
    `curl ${inShell(baseUrl + path)}`,
    `-H ${inShell(`Authorization: Bearer ${token}`)}`,
    ...(text === undefined ? [] : [`-H 'Content-Type: application/json'`, `-d ${inShell(text)}`]),
  ].join(" \\\n  ");
}

/** A call from the journal as text, with a gap like `<key>` for each text that is masked or not kept. */
export function withGaps(input: unknown): string | undefined {
  if (typeof input === "string") return `"<the body>"`;
  return JSON.stringify(input)
    ?.replace(/"([^"]+)":"[^"]*\*{3}[^"]*"/g, `"$1":"<$1>"`)
    .replaceAll(`"***"`, `"<text>"`);
}

/** The gaps in JSON that a person has to fill, like `<the value of a key>`. */
export function gapsIn(text = ""): readonly string[] {
  return Array.from(text.matchAll(/"(<[\w ]+>)"/g), ([, gap = ""]) => gap);
}

/** The members of a JSON object as a query; nothing for other text. */
export function toQuery(text: string): string {
  try {
    const members = Object.entries(JSON.parse(text) as object);
    const query = new URLSearchParams(members.map(([name, value]) => [name, String(value)]));
    return members.length === 0 ? "" : `?${query}`;
  } catch {
    return "";
  }
}
