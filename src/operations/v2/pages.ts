import * as z from "zod/mini";
import { lazily } from "../../base/lazily.ts";
import type { Steps } from "../../base/steps.ts";
import { docs, flag, integer, objectOf, text } from "../../schema/fields.ts";

// The pages of lists. Every list of v2 is ascending by id, and its cursor is the id of the first
// record of the next page.

/** How many records are searched in one step. */
const STEP = 200;
/** The most records in a page. */
const MAX_LIMIT = 100;

/**
 * The members of an input that select a page.
 * @param options `limit`: the size of a page if the call gives none; `max`: the longest cursor
 */
export function pageMembers({
  limit = MAX_LIMIT,
  ...cursor
}: { readonly limit?: number; readonly max?: number } = {}) {
  return {
    limit: z._default(
      integer({ min: 1, max: MAX_LIMIT }).register(docs, {
        description: "The maximum number of records in a page.",
      }),
      limit,
    ),
    cursor: z.optional(
      text(cursor).register(docs, {
        description: "The `pagination.cursor` of the previous page. Any text is a position.",
      }),
    ),
  };
}

/** A part of a text in the records of a list. */
export const search = lazily(() =>
  z.optional(
    text({ max: 256 }).register(docs, {
      description:
        "Only records that contain this text, in upper or lower case. Blanks around it are ignored.",
    }),
  ),
);

export const pagination = lazily(() =>
  objectOf({
    cursor: z.optional(
      text().register(docs, {
        description:
          "The id of the first record of the next page. Present exactly when more records exist.",
      }),
    ),
    hasMore: flag().register(docs, { description: "Whether more matching records exist." }),
  }).register(docs, { id: "Pagination", description: "How to get the next page." }),
);
type Pagination = z.output<ReturnType<typeof pagination>>;

/**
 * Says how to get the page that begins with the record `next`. The last page has no cursor: null
 * breaks the public client, and any other cursor makes it ask again.
 */
export function toPagination(next: { readonly id: string } | undefined): Pagination {
  return next === undefined ? { hasMore: false } : { cursor: next.id, hasMore: true };
}

/** Records by id, for example a `RecordSet`. */
interface Listed<Item> {
  from(id?: string): Iterable<Item>;
}

interface Selected {
  readonly cursor?: string | undefined;
  readonly limit: number;
  readonly search?: string | undefined;
}

/**
 * A page of the records that contain the searched text.
 * @param textsOf the texts of a record that are searched
 */
export function* pageOf<Item extends { readonly id: string }>(
  records: Listed<Item>,
  { cursor, limit, search: searched = "" }: Selected,
  textsOf: (item: Item) => readonly (string | undefined)[] = () => [],
): Steps<{ readonly items: readonly Item[]; readonly pagination: Pagination }> {
  const part = searched.trim().toLowerCase();
  const items: Item[] = [];
  let looked = 0;
  for (const item of records.from(cursor)) {
    if ((looked += 1) % STEP === 0) yield;
    const isFound =
      part === "" || textsOf(item).some((shown) => shown?.toLowerCase().includes(part));
    if (!isFound) continue;
    if (items.length === limit) return { items, pagination: toPagination(item) };
    items.push(item);
  }
  return { items, pagination: toPagination(undefined) };
}
