import { defineRule } from "../rule.ts";
import type { SeenCall } from "../seen-call.ts";

/** How many cursors are remembered of a token. Of further ones, nothing would be certain. */
const MAX_CURSORS = 200;
/** The members that select the records of a list. */
const FILTERS = ["apiId", "externalId", "ownerId", "search"] as const;
const LISTS = new Set([
  "apis.listKeys",
  "identities.listIdentities",
  "permissions.listPermissions",
  "permissions.listRoles",
  "ratelimit.listOverrides",
]);

/** A page whose reply had the cursor. */
interface Source {
  /** The version, the operation and the filters. */
  readonly list: string;
  readonly requestId: string;
}

/**
 * A cursor is sent for another operation, API or filter than that of the page it came from.
 */
export const cursorOfAnotherList = defineRule({
  name: "cursor-of-another-list",
  advice:
    "A cursor continues the list that it came from. Send it with the same API and the same filters, and begin another list without a cursor.",
  watch() {
    /** The pages that each cursor came from: the same key may begin a page of several lists. */
    const sources = new Map<string, Source[]>();
    return (call) => {
      const { input, nextCursor, operation = "", requestId } = call;
      if (!LISTS.has(operation) || input === undefined) return undefined;
      const { cursor } = input as { readonly cursor?: string };
      if (cursor === undefined && nextCursor === undefined) return undefined;
      const list = listOf(call);
      const known = cursor === undefined ? undefined : sources.get(cursor);
      if (nextCursor !== undefined) {
        const pages = sources.get(nextCursor) ?? [];
        if (!pages.some((page) => page.list === list)) pages.push({ list, requestId });
        if (sources.size < MAX_CURSORS) sources.set(nextCursor, pages);
      }
      const [source] = known ?? [];
      if (known === undefined || source === undefined) return undefined;
      if (known.some((page) => page.list === list)) return undefined;
      const why = `the cursor of a page of ${source.list} was sent for ${list}`;
      return { subject: `${source.list}\n${list}`, why, requests: [source.requestId, requestId] };
    };
  },
});

/** Which list a call reads. */
function listOf({ input, operation = "", version }: SeenCall): string {
  const members = input as Readonly<Record<string, unknown>>;
  let list = `${operation} of ${version}`;
  for (const name of FILTERS) {
    const { [name]: value } = members;
    if (value !== undefined) list += `, ${name} "${name === "search" ? simplified(value) : value}"`;
  }
  return list;
}

/** Blanks and the case of a search make no difference. */
function simplified(search: unknown): string {
  return String(search).trim().toLowerCase();
}
