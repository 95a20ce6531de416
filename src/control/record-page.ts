import { sortedInSteps, STEP, type Steps } from "../base/steps.ts";
import { UsageError } from "../base/usage-error.ts";
import type { AnyRecord } from "./record-kinds.ts";

export interface RecordList {
  readonly size: number;
  /** At most `limit` records after this id, ascending by id. */
  after(id: string, limit: number): readonly AnyRecord[];
}

interface PageOptions {
  /** Undefined if every record matches. */
  readonly test: ((record: AnyRecord) => boolean) | undefined;
  /** A member or a computed order, with `-` before it for a descending order. */
  readonly sort: string;
  /** The value that a record is sorted by. */
  readonly valueOf: (record: AnyRecord) => unknown;
  readonly limit: number;
  readonly cursor: string | undefined;
}

interface RecordPage {
  readonly items: readonly AnyRecord[];
  readonly total: number;
  /** Fetches the next page; undefined on the last one. */
  readonly cursor: string | undefined;
}

/**
 * A page of a list. Without a condition and by id, it takes the same time whatever the size of the list.
 * Otherwise it looks at every record.
 * @throws UsageError for a cursor of another list
 */
export function* toPage(list: RecordList, options: PageOptions): Steps<RecordPage> {
  const { limit, sort, test, valueOf } = options;
  const position = positionOf(options);
  if (sort === "id" && test === undefined) {
    return pageOf(list.after(position?.id ?? "", limit + 1), list.size, options);
  }
  const compare = orderBy(sort);
  let kept: Place[] = [];
  let total = 0;
  yield* lookAtAll(list, test, (matching) => {
    total += matching.length;
    for (const record of matching) {
      const place = { id: record.id, value: valueOf(record), record };
      if (position === undefined || compare(place, position) > 0) kept.push(place);
    }
    // For a short page, records after its end are dropped early. A long page is sorted in steps.
    if (limit < STEP && kept.length > 4 * STEP) kept = kept.sort(compare).slice(0, limit + 1);
  });
  const sorted = yield* sortedInSteps(kept, (one, other) => compare(one, other) > 0);
  return pageOf(
    sorted.map(({ record }) => record),
    total,
    options,
  );
}

function* lookAtAll(
  list: RecordList,
  test: PageOptions["test"],
  look: (matching: readonly AnyRecord[]) => void,
): Steps<void> {
  for (let last = ""; ;) {
    const part = list.after(last, STEP);
    look(test === undefined ? part : part.filter(test));
    last = part.at(-1)?.id ?? "";
    if (part.length < STEP) return;
    yield;
  }
}

/** @param found the records of the page, and at least one more if there is a next page */
function pageOf(
  found: readonly AnyRecord[],
  total: number,
  { limit, sort, valueOf }: PageOptions,
): RecordPage {
  const items = found.slice(0, limit);
  const last = found.length > limit ? items.at(-1) : undefined;
  return {
    items,
    total,
    cursor: last && toCursor(sort, last.id, valueOf(last)),
  };
}

/** Where a record stands in a sorted list. */
interface Position {
  readonly id: string;
  readonly value: unknown;
}

interface Place extends Position {
  readonly record: AnyRecord;
}

/** Compares records by their values and then by id. Records without a value come last. */
function orderBy(sort: string): (one: Position, other: Position) => number {
  const direction = sort.startsWith("-") ? -1 : 1;
  return (one, other) => {
    const [a, b] = [one.value, other.value] as [string | undefined, string | undefined];
    if (a === b) return one.id < other.id ? -direction : one.id > other.id ? direction : 0;
    if (a === undefined || b === undefined) return a === undefined ? 1 : -1;
    return a < b ? -direction : direction;
  };
}

/** The place after a record in a sorted list, which stays valid when that record changes. */
function toCursor(sort: string, id: string, value: unknown): string {
  const text = encodeURIComponent(JSON.stringify([sort, id, value ?? null]));
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function positionOf({ cursor, sort }: PageOptions): Position | undefined {
  if (cursor === undefined) return undefined;
  try {
    const text = decodeURIComponent(atob(cursor.replaceAll("-", "+").replaceAll("_", "/")));
    const [sortOfCursor, id, value] = JSON.parse(text) as unknown[];
    if (sortOfCursor === sort && typeof id === "string") return { id, value: value ?? undefined };
  } catch {
    // Not a cursor of any list.
  }
  throw new UsageError("query: cursor: expected the cursor of a page with the same sort");
}
