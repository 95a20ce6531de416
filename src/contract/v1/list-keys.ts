import * as z from "zod/mini";
import { cursorsWith } from "./cursor.ts";
import { operationErrors } from "../errors.ts";
import { queryFlag } from "./query-flag.ts";
import { docs, integer, listOf, objectOf, text } from "../../schema/fields.ts";
import { keyRecordWith } from "./key-record.ts";
import { defineContract } from "../operation.ts";
import { NO_QUIRKS, type Quirks } from "../quirks.ts";

const MAX_LIMIT = 100;
const DEFAULT_LIMIT = 100;

const limitError = `expected an integer from 1 to ${MAX_LIMIT}`;
const limit = z
  .pipe(
    z.string({ error: limitError }).check(z.refine(isLimit, { error: limitError })),
    z.transform(Number),
  )
  .register(docs, {
    type: "integer",
    minimum: 1,
    maximum: MAX_LIMIT,
    default: DEFAULT_LIMIT,
    description: "The maximum number of keys in a page.",
  });

const cursorError = "expected the cursor of a page of this list";
function cursorText(quirks: Quirks) {
  const { decode } = cursorsWith(quirks);
  const isCursor = (text: string) => text === "" || decode(text) !== undefined;
  return z
    .pipe(
      z.string({ error: cursorError }).check(z.refine(isCursor, { error: cursorError })),
      // Handed on as sent, because faults and the journal compare it with what a client got.
      z.transform((text: string) => (text === "" ? undefined : text)),
    )
    .register(docs, {
      type: "string",
      description:
        "The `cursor` of the previous page. Empty: not given, which returns the first page.",
    });
}

/** The query of `apis.listKeys`. All values arrive as strings, and some are converted. */
function queryWith(quirks: Quirks) {
  return objectOf({
    apiId: text({ min: 1 }).register(docs, { description: "The API whose keys to list." }),
    limit: z._default(limit, DEFAULT_LIMIT),
    cursor: z.optional(cursorText(quirks)),
    ownerId: z.optional(
      text({ min: 1 }).register(docs, {
        deprecated: true,
        description: "Only keys with this owner. Use `externalId`, which wins when both are sent.",
      }),
    ),
    externalId: z.optional(
      text({ min: 1 }).register(docs, {
        description: "Only keys that are linked with the identity of this external id.",
      }),
    ),
    decrypt: z.optional(
      queryFlag(
        "Return the values of recoverable keys in `plaintext`. A token without the right to decrypt is refused with 403 and `UNAUTHORIZED`.",
        quirks,
      ),
    ),
    revalidateKeysCache: z.optional(
      queryFlag(
        "Read from the database instead of the cache. There is a cache only with the quirk `stale-list`.",
        quirks,
      ),
    ),
  });
}

function resultWith(quirks: Quirks) {
  return objectOf({
    keys: listOf(keyRecordWith(quirks), "keys").register(docs, {
      description: "The keys of the page, ascending by id. A newer key has a greater id.",
    }),
    cursor: z.optional(
      text().register(docs, {
        description: quirks.has("trailing-cursor")
          ? "Present on every page that is not empty."
          : "Present exactly when more matching keys exist.",
      }),
    ),
    total: integer({ min: 0 }).register(docs, {
      description: "Number of keys of the API, regardless of filter, cursor and limit.",
    }),
  }).register(docs, {
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
  });
}

export const listKeysResult = resultWith(NO_QUIRKS);

export function listKeysWith(quirks: Quirks) {
  return defineContract({
    name: "apis.listKeys",
    method: "GET",
    path: "/v1/apis.listKeys",
    summary: "List the keys of an API",
    description:
      "Returns a page of keys. While the answer has a `cursor`, send it with the same filters to get the next page.",
    input: () => queryWith(quirks),
    output: () => (quirks.size === 0 ? listKeysResult : resultWith(quirks)),
    errors: operationErrors,
  });
}

const listKeys = listKeysWith(NO_QUIRKS);

export type ListKeysResult = z.input<typeof listKeysResult>;
export type ListKeysQuery = z.output<typeof listKeys.input>;

function isLimit(value: string): boolean {
  return /^\d{1,9}$/.test(value) && Number(value) >= 1 && Number(value) <= MAX_LIMIT;
}
