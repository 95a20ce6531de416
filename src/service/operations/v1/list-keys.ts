import * as z from "zod/mini";
import type { Quirks } from "../../../api/quirks.ts";
import { cursorsWith } from "./cursor.ts";
import { toJson } from "../../../api/wire-json.ts";
import * as f from "../../../schema/fields.ts";
import { lazily } from "../../../base/lazily.ts";
import type { Key } from "../../../state/keys/key.ts";
import type { Workspace } from "../../../state/workspace.ts";
import { listMembers } from "../fields.ts";
import { filterOf, inSteps, type PageEnd, readPage, type Selection, writePage } from "../keys.ts";
import { onApi, operationOfV1, RawJson } from "../operation.ts";
import { decryptFlag, MAY_NOT_DECRYPT, queryFlag, requireApi } from "./shared.ts";
import { keyRecordWith, toKeyRecord } from "./key-record.ts";

const MAX_LIMIT = 100;

const limitError = `expected an integer from 1 to ${MAX_LIMIT}`;
const limit = lazily(() =>
  f.described(
    z.pipe(
      z.string({ error: limitError }).check(z.refine(isLimit, { error: limitError })),
      z.transform(Number),
    ),
    {
      type: "integer",
      minimum: 1,
      maximum: MAX_LIMIT,
      default: MAX_LIMIT,
      description: "The maximum number of keys in a page.",
    },
  ),
);

function isLimit(value: string): boolean {
  return /^\d{1,9}$/.test(value) && Number(value) >= 1 && Number(value) <= MAX_LIMIT;
}

const cursorError = "expected the cursor of a page of this list";
function cursorText(quirks: Quirks) {
  const { decode } = cursorsWith(quirks);
  const isCursor = (text: string) => text === "" || decode(text) !== undefined;
  return f.described(
    z.pipe(
      z.string({ error: cursorError }).check(z.refine(isCursor, { error: cursorError })),
      // Not decoded here, because faults and the journal compare the cursor that the client sent.
      z.transform((text: string) => (text === "" ? undefined : text)),
    ),
    {
      type: "string",
      description:
        "The `cursor` of the previous page. Empty: not given, which returns the first page.",
    },
  );
}

/** The query of `apis.listKeys`. All values arrive as strings, and some are converted. */
function queryWith(quirks: Quirks) {
  const { apiId, externalId } = listMembers();
  return f.objectOf({
    apiId,
    limit: z._default(limit(), MAX_LIMIT),
    cursor: z.optional(cursorText(quirks)),
    ownerId: z.optional(
      f.described(f.text({ min: 1 }), {
        deprecated: true,
        description: "Only keys with this owner. Use `externalId`, which wins when both are sent.",
      }),
    ),
    externalId,
    decrypt: z.optional(decryptFlag("Return the values of recoverable keys", quirks)),
    revalidateKeysCache: z.optional(
      queryFlag(
        "Read from the database instead of the cache. There is a cache only with the quirk `stale-list`.",
        quirks,
      ),
    ),
  });
}

function resultWith(quirks: Quirks) {
  return f.described(
    f.objectOf({
      keys: f.described(
        f.listOf(keyRecordWith(quirks), "keys"),
        "The keys of the page, ascending by id. A newer key has a greater id.",
      ),
      cursor: f.optional(
        f.text(),
        quirks.has("trailing-cursor")
          ? "Present on every page that is not empty."
          : "Present exactly when more matching keys exist.",
      ),
      total: f.described(
        f.integer({ min: 0 }),
        "Number of keys of the API, regardless of filter, cursor and limit.",
      ),
    }),
    {
      id: "ListKeysResult",
      description: "A page of keys, ascending by id.",
      examples: [
        {
          keys: [
            {
              id: "key_1Gkhd5S6xJwpqYJ3",
              start: "test_3ZhL",
              workspaceId: "ws_local",
              apiId: "api_local",
              name: "CI",
              createdAt: 1_767_225_600_000,
              roles: [],
              permissions: [],
              enabled: true,
            },
          ],
          total: 1,
        },
      ],
    },
  );
}

type ListKeysResult = z.input<ReturnType<typeof resultWith>>;
type ListKeysQuery = z.output<ReturnType<typeof queryWith>>;

export const listKeys = operationOfV1("apis.listKeys", {
  method: "GET",
  summary: "List the keys of an API",
  description:
    "Returns a page of keys. While the answer has a `cursor`, send it with the same filters to get the next page.",
  input: queryWith,
  output: resultWith,

  requires: ({ input: { apiId } }) => [onApi(apiId, "read_key"), onApi(apiId, "read_api")],

  run({ demand, input, isUnseen, workspace }) {
    const { apiId, decrypt = false } = input;
    requireApi(workspace, apiId);
    if (decrypt) demand([onApi(apiId, "decrypt_key")], MAY_NOT_DECRYPT);
    if (isUnseen || !workspace.quirks.has("stale-list")) {
      if (decrypt) return toRawJson(toPage(workspace, input));
      return inSteps((longest) => toJsonPage(workspace, input, longest));
    }
    const page = readThroughCache(workspace, input);
    return toRawJson(decrypt ? page : { ...page, keys: page.keys.map(withoutValue) });
  },
});

function toPage(workspace: Workspace, query: ListKeysQuery): ListKeysResult {
  const selection = selectionOf(workspace, query);
  const { keys, ...end } = readPage(workspace, selection);
  return {
    keys: keys.map((key) => toKeyRecord(workspace, key, { decrypt: true })),
    ...cursorAndTotal(workspace, query, selection, end),
  };
}

/** A page as JSON from the cache. Nearly all calls ask for no key values. */
function toJsonPage(
  workspace: Workspace,
  query: ListKeysQuery,
  longest: number,
): RawJson | undefined {
  const selection = selectionOf(workspace, query);
  const write = (key: Key) => toJson(toKeyRecord(workspace, key, { decrypt: false })) ?? "";
  const page = writePage(workspace, selection, { name: "v1", longest, write });
  if (page === undefined) return undefined;
  const end = cursorAndTotal(workspace, query, selection, page);
  // Pieces that are strings must be ASCII. A cursor and a number are.
  const pieces = ['{"keys":[', ...page.pieces, `],${JSON.stringify(end).slice(1)}`];
  return new RawJson(pieces, { keys: page.count, ...end });
}

const encoder = new TextEncoder();

function toRawJson(page: ListKeysResult): RawJson {
  const { keys, ...end } = page;
  return new RawJson([encoder.encode(toJson(page))], { keys: keys.length, ...end });
}

/** The cursor names the last key of the previous page. */
function selectionOf(workspace: Workspace, query: ListKeysQuery): Selection {
  const { cursor, limit } = query;
  const keyId = cursor === undefined ? undefined : cursorsWith(workspace.quirks).decode(cursor);
  const position = keyId === undefined ? undefined : { keyId, isInclusive: false };
  return { filter: filterOf(workspace, query), position, limit };
}

function cursorAndTotal(
  { keys, quirks }: Workspace,
  { apiId, externalId }: ListKeysQuery,
  { filter }: Selection,
  { last, next }: PageEnd,
): Omit<ListKeysResult, "keys"> {
  const hasCursor = last !== undefined && (next !== undefined || quirks.has("trailing-cursor"));
  const isUnknownIdentity = filter === undefined && externalId !== undefined;
  // The service counts all keys of the API, not those that match the filter.
  const total = isUnknownIdentity && quirks.has("zero-total") ? 0 : keys.countOf({ apiId });
  return hasCursor ? { cursor: cursorsWith(quirks).encode(last.id), total } : { total };
}

/**
 * For the quirk `stale-list`. The service caches pages with key values, and removes the values for calls
 * without `decrypt`. So calls with `decrypt` and without it share a cache entry.
 */
function readThroughCache(workspace: Workspace, query: ListKeysQuery): ListKeysResult {
  const { apiId, cursor, externalId, limit, ownerId, revalidateKeysCache = false } = query;
  const cacheKey = JSON.stringify([apiId, cursor, externalId, ownerId, limit]);
  const load = () => toPage(workspace, query);
  const page = workspace.staleLists.read(cacheKey, load, revalidateKeysCache);
  return page as ListKeysResult;
}

function withoutValue(record: ListKeysResult["keys"][number]) {
  const { plaintext: _, ...rest } = record;
  return rest;
}
