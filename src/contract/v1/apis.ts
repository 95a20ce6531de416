import * as z from "zod/mini";
import { docs, flag, integer, objectOf, text } from "../../schema/fields.ts";
import { lazily } from "../../base/lazily.ts";
import { defineContract } from "../operation.ts";

const apiId = lazily(() =>
  text({ min: 1 }).register(docs, { description: "Identifier of the API." }),
);
const name = lazily(() => text().register(docs, { description: "For a person to read." }));

export const createApi = defineContract({
  name: "apis.createApi",
  method: "POST",
  path: "/v1/apis.createApi",
  summary: "Create an API",
  input: () =>
    objectOf({
      name: text({ min: 3, max: 256 }).register(docs, { description: "For a person to read." }),
    }),
  output: () => objectOf({ apiId: apiId(), name: name() }),
});

export const getApi = defineContract({
  name: "apis.getApi",
  method: "GET",
  path: "/v1/apis.getApi",
  summary: "Get an API",
  input: () => objectOf({ apiId: apiId() }),
  output: () => objectOf({ id: text(), workspaceId: text(), name: name() }),
});

export const deleteApi = defineContract({
  name: "apis.deleteApi",
  method: "POST",
  path: "/v1/apis.deleteApi",
  summary: "Delete an API and its keys",
  input: () => objectOf({ apiId: apiId() }),
  output: () => objectOf({}),
});

export const deleteKeys = defineContract({
  name: "apis.deleteKeys",
  method: "POST",
  path: "/v1/apis.deleteKeys",
  summary: "Delete all keys of an API",
  input: () =>
    objectOf({
      apiId: apiId(),
      permanent: z.optional(
        flag().register(docs, {
          description: "Accepted; clients cannot see a difference. Default: false.",
        }),
      ),
    }),
  output: () =>
    objectOf({
      deletedKeys: integer({ min: 0 }).register(docs, { description: "How many keys there were." }),
    }),
});
