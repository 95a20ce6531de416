import * as z from "zod/mini";
import {
  closedObjectOf,
  docs,
  flag,
  integer,
  listOf,
  objectOf,
  text,
} from "../../schema/fields.ts";
import { lazily } from "../../base/lazily.ts";
import { defineContract } from "../operation.ts";
import { keyRecord } from "./key-record.ts";

const MAX_LIMIT = 100;

/** The body of `apis.listKeys`. */
const listKeysBody = lazily(() =>
  closedObjectOf({
    apiId: text({ min: 1 }).register(docs, { description: "The API whose keys to list." }),
    limit: z._default(
      integer({ min: 1, max: MAX_LIMIT }).register(docs, {
        description: "The maximum number of keys in a page.",
      }),
      MAX_LIMIT,
    ),
    cursor: z.optional(
      text().register(docs, {
        description: "The `pagination.cursor` of the previous page. Any text is a position.",
      }),
    ),
    externalId: z.optional(
      text({ min: 1 }).register(docs, {
        description: "Only keys that are linked with the identity of this external id.",
      }),
    ),
    decrypt: z.optional(
      flag().register(docs, {
        description: "Return the values of recoverable keys in `plaintext`. Default: false.",
      }),
    ),
    revalidateKeysCache: z.optional(
      flag().register(docs, { description: "Accepted, and without effect, as in the service." }),
    ),
  }).register(docs, {
    id: "ListKeysBody",
    description: "The page to list.",
    examples: [{ apiId: "api_local", limit: 10 }],
  }),
);

const listKeysResult = lazily(() =>
  objectOf({
    data: listOf(keyRecord(), "keys").register(docs, {
      description: "The keys of the page, ascending by id.",
    }),
    pagination: objectOf({
      cursor: z.optional(
        text().register(docs, {
          description:
            "The id of the first key of the next page. Present exactly when more keys exist.",
        }),
      ),
      hasMore: flag().register(docs, { description: "Whether more matching keys exist." }),
    }).register(docs, { id: "Pagination", description: "How the list goes on." }),
  }).register(docs, { id: "ListKeysResult", description: "A page of keys, ascending by id." }),
);

export const listKeys = defineContract({
  version: "v2",
  name: "apis.listKeys",
  method: "POST",
  isReadOnly: true,
  path: "/v2/apis.listKeys",
  summary: "List the keys of an API",
  description:
    "Returns a page of keys. While the answer has a `pagination.cursor`, send it with the same filters to get the next page.",
  input: listKeysBody,
  output: listKeysResult,
});

export type ListKeysBody = z.output<ReturnType<typeof listKeysBody>>;
export type ListKeysPagination = z.output<ReturnType<typeof listKeysResult>>["pagination"];
