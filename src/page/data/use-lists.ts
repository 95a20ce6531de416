import type { Client, RecordPage } from "./client.ts";
import type { KeyPage, Listing } from "./interfaces.ts";
import { usePage, type Paging } from "./use-page.ts";

/** How many records a page of a list has, except for keys, where the user chooses. */
const LIMIT = 25;

/** The keys of an API. The list follows changes unless the journal records its calls. */
export function useKeys(
  client: Client,
  listing: Omit<Listing, "cursor" | "isFresh">,
  revision: number,
): Paging<KeyPage> {
  const { apiId, decrypt, externalId = "", isSeen, limit, version } = listing;
  const source = {
    list: JSON.stringify([client.token, version, apiId, externalId, limit]),
    // Key values must not stay on the screen after `decrypt` is switched off.
    form: String(decrypt),
    read: (cursor: string | undefined, isFresh: boolean, signal: AbortSignal) =>
      client.list({ ...listing, cursor, isFresh }, signal),
  };
  return usePage(source, isSeen ? undefined : revision);
}

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
    read: (cursor: string | undefined, _isFresh: boolean, signal: AbortSignal) =>
      client.records<Item>(operation, { ...input, limit: LIMIT, cursor }, signal),
  };
  return usePage(source, revision);
}
