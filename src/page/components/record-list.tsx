import type { ComponentChildren } from "preact";
import type { Client } from "../data/client.ts";
import { Pager } from "./pager.tsx";
import { Refusal } from "./refusal.tsx";
import { useRecords } from "../data/use-records.ts";

export interface RecordListProps<Item> {
  readonly client: Client;
  readonly revision: number;
  /** The operation that lists them, like `identities.listIdentities`. */
  readonly operation: string;
  /** Its input, without the members that select a page. */
  readonly input: object;
  /** The words for one of them and for several. */
  readonly noun: readonly [one: string, several: string];
  /** Shown in place of an empty list. */
  readonly none: string;
  /** Renders a record as an item of the list. */
  readonly children: (item: Item) => ComponentChildren;
}

/** The records that an operation of v2 lists, page by page. */
export function RecordList<Item>(props: RecordListProps<Item>) {
  const { children, client, input, none, noun, operation, revision } = props;
  const paging = useRecords<Item>(client, operation, input, revision);
  const { isLoading, lines, page } = paging;
  const length = page?.items.length ?? 0;
  return (
    <>
      <Refusal lines={lines} />
      {page === undefined && lines.length === 0 && <p class="dim empty">Looking…</p>}
      {page !== undefined && length === 0 && <p class="dim empty">{none}</p>}
      {page !== undefined && length > 0 && (
        <div class="list">
          <ul class="rows" aria-busy={isLoading}>
            {page.items.map(children)}
          </ul>
        </div>
      )}
      <Pager paging={paging} count={`${length} ${noun[length === 1 ? 0 : 1]}`} />
    </>
  );
}
