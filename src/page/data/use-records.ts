import type { Client, RecordPage } from "./client.ts";
import { usePage, type Paging } from "./use-page.ts";

/** How many records a page of a list has. */
const LIMIT = 25;

/**
 * The records that an operation of v2 lists. The list follows changes.
 * @param operation like `identities.listIdentities`
 * @param input its input, without the members that select a page
 */
export function useRecords<Item>(
  client: Client,
  operation: string,
  input: object,
  revision: number,
): Paging<RecordPage<Item>> {
  const source = {
    list: JSON.stringify([client.token, operation, input]),
    read: (cursor: string | undefined, signal: AbortSignal) =>
      client.records<Item>(operation, { ...input, limit: LIMIT, cursor }, signal),
  };
  return usePage(source, revision);
}
