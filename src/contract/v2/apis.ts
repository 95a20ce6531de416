import { closedObjectOf, docs, objectOf, text } from "../../schema/fields.ts";
import { lazily } from "../../base/lazily.ts";
import { defineContract } from "../operation.ts";
import { word } from "./fields.ts";

const apiId = lazily(() =>
  word({ min: 8, max: 255 }).register(docs, { description: "Identifier of the API." }),
);

export const createApi = defineContract({
  version: "v2",
  name: "apis.createApi",
  method: "POST",
  path: "/v2/apis.createApi",
  summary: "Create an API",
  input: () =>
    closedObjectOf({
      name: text({ min: 3, max: 256 }).register(docs, { description: "For a person to read." }),
    }),
  output: () => objectOf({ data: objectOf({ apiId: text() }) }),
});

export const getApi = defineContract({
  version: "v2",
  name: "apis.getApi",
  method: "POST",
  path: "/v2/apis.getApi",
  isReadOnly: true,
  summary: "Get an API",
  input: () => closedObjectOf({ apiId: apiId() }),
  output: () => objectOf({ data: objectOf({ id: text(), name: text() }) }),
});

export const deleteApi = defineContract({
  version: "v2",
  name: "apis.deleteApi",
  method: "POST",
  path: "/v2/apis.deleteApi",
  summary: "Delete an API and its keys",
  input: () => closedObjectOf({ apiId: apiId() }),
  output: () => objectOf({ data: objectOf({}) }),
});
