import { defineRule } from "../rule.ts";
import type { SeenCall } from "../seen-call.ts";

/** How many cursors are remembered of a token. Of further ones, nothing would be certain. */
const MAX_CURSORS = 200;

/** The members that select the records of a list. */
interface Filters {
  readonly apiId?: string | undefined;
  readonly externalId?: string | undefined;
  readonly search?: string | undefined;
}

/** Which list a call reads. */
interface List extends Filters, Pick<SeenCall, "operation" | "version"> {}

/** A page whose reply had the cursor. */
interface Source {
  readonly list: List;
  readonly requestId: string;
}

/**
 * A cursor is sent for another operation, API or filter than that of the page it came from.
 */
export const cursorOfAnotherList = defineRule({
  name: "cursor-of-another-list",
  advice:
    "A cursor continues the list that it came from. Send it with the same API and the same filters, and begin another list without a cursor.",
  operations: new Set([
    "apis.listKeys",
    "identities.listIdentities",
    "permissions.listPermissions",
    "permissions.listRoles",
    "ratelimit.listOverrides",
  ]),
  watch() {
    /** The pages that each cursor came from: the same key may begin a page of several lists. */
    const sources = new Map<string, Source[]>();
    return (call) => {
      const { input, nextCursor, requestId } = call;
      if (input === undefined) return undefined;
      const { cursor } = input as { readonly cursor?: string };
      if (cursor === undefined && nextCursor === undefined) return undefined;
      const list = listOf(call);
      const known = cursor === undefined ? undefined : sources.get(cursor);
      if (nextCursor !== undefined) {
        const pages = sources.get(nextCursor) ?? [];
        if (!pages.some((page) => isSame(page.list, list))) pages.push({ list, requestId });
        if (sources.size < MAX_CURSORS) sources.set(nextCursor, pages);
      }
      const [source] = known ?? [];
      if (known === undefined || source === undefined) return undefined;
      if (known.some((page) => isSame(page.list, list))) return undefined;
      const [from, to] = [nameOf(source.list), nameOf(list)];
      const why = `a cursor from ${from} was sent to ${to}`;
      return { subject: `${from}\n${to}`, why, requests: [source.requestId, requestId] };
    };
  },
});

function listOf({ input, operation, version }: SeenCall): List {
  const { apiId, externalId, ownerId, search } = input as Filters & { readonly ownerId?: string };
  return {
    operation,
    version,
    apiId,
    // In v1, both are the owner, and `externalId` wins.
    externalId: externalId ?? ownerId,
    // Blanks and the case of a search make no difference.
    search: search && String(search).trim().toLowerCase(),
  };
}

function isSame(one: List, other: List): boolean {
  return (
    one.operation === other.operation &&
    one.version === other.version &&
    one.apiId === other.apiId &&
    one.externalId === other.externalId &&
    one.search === other.search
  );
}

function nameOf({ operation, version, ...filters }: List): string {
  const given = Object.entries(filters).filter(([, value]) => value !== undefined);
  const shown = given.map(([name, value]) => `${name} "${value}"`).join(", ");
  return `${operation} of ${version}${shown === "" ? "" : ` (${shown})`}`;
}
