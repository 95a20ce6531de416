import { closedObjectOf, docs, objectOf, text } from "../../schema/fields.ts";
import { defineContract } from "../operation.ts";
import { keyRecord } from "./key-record.ts";

export const whoami = defineContract({
  version: "v2",
  name: "keys.whoami",
  method: "POST",
  path: "/v2/keys.whoami",
  isReadOnly: true,
  summary: "Get a key by its value",
  input: () =>
    closedObjectOf({
      key: text({ min: 1, max: 512 }).register(docs, { description: "The key value." }),
    }),
  output: () => objectOf({ data: keyRecord() }),
});
