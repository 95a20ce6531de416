import { root } from "./root.ts";

/** A command for a terminal that makes the same call. */
export function toCurl(operation: string, token: string, body: object): string {
  return [
    `curl ${quote(root + operation)}`,
    `-H ${quote(`Authorization: Bearer ${token}`)}`,
    `-H 'Content-Type: application/json'`,
    `-d ${quote(JSON.stringify(body))}`,
  ].join(" ");
}

/** Quotes for a POSIX shell, where only the quote itself is special within single quotes. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
