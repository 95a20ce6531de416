import * as z from "zod/mini";
import { decodeCursor } from "./cursor.ts";
import { operationErrors } from "./errors.ts";
import { docs, integer, listOf, objectOf, text } from "./fields.ts";
import { keyRecord } from "./key-record.ts";
import { defineContract } from "./operation.ts";

const MAX_LIMIT = 100;
const DEFAULT_LIMIT = 100;

/** The spellings that the service reads; `null` and the empty string mean: not given. */
const flagSpellings: ReadonlyMap<string, boolean | undefined> = new Map([
  ["true", true],
  ["1", true],
  ["false", false],
  ["0", false],
  ["null", undefined],
  ["", undefined],
]);

function queryFlag(description: string) {
  const error = "expected true, false, 1, 0 or null";
  return z
    .pipe(
      z.string({ error }).check(z.refine((value) => flagSpellings.has(value), { error })),
      z.transform((value: string) => flagSpellings.get(value)),
    )
    .register(docs, { type: ["boolean", "null"], description });
}

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
    description: "The most keys that a page holds.",
  });

const cursorError = "expected a cursor as a page of this list returned it";
/** Read into the id of the key that the page starts behind. */
const cursor = z
  .pipe(
    z.string({ error: cursorError }).check(
      z.refine((value) => value === "" || decodeCursor(value) !== undefined, {
        error: cursorError,
      }),
    ),
    z.transform((value: string) => (value === "" ? undefined : decodeCursor(value))),
  )
  .register(docs, {
    description: "Fetches the page behind the one that returned it. Empty: not given.",
  });

/** Query values arrive as strings; this reads them. */
const listKeysQuery = objectOf({
  apiId: text({ min: 1 }).register(docs, { description: "The API whose keys to list." }),
  limit: z._default(limit, DEFAULT_LIMIT),
  cursor: z.optional(cursor),
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
  decrypt: z.optional(queryFlag("Return the values of recoverable keys in `plaintext`.")),
  revalidateKeysCache: z.optional(
    queryFlag("Read from the database and not from the cache. Every list here is read now."),
  ),
});

export const listKeysResult = objectOf({
  keys: listOf(keyRecord, "keys"),
  cursor: z.optional(
    text().register(docs, { description: "Present exactly when more matching keys exist." }),
  ),
  total: integer({ min: 0 }).register(docs, {
    description: "Number of keys of the API, whatever the filter, cursor and limit.",
  }),
}).register(docs, { id: "ListKeysResult", description: "A page of keys, ascending by id." });

export const listKeys = defineContract({
  name: "apis.listKeys",
  method: "GET",
  path: "/v1/apis.listKeys",
  summary: "List the keys of an API",
  input: listKeysQuery,
  output: listKeysResult,
  errors: operationErrors,
});

export type ListKeysQuery = z.output<typeof listKeysQuery>;

function isLimit(value: string): boolean {
  return /^\d{1,9}$/.test(value) && Number(value) >= 1 && Number(value) <= MAX_LIMIT;
}
