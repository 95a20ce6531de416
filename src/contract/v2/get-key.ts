import * as z from "zod/mini";
import { closedObjectOf, docs, flag, objectOf } from "../../schema/fields.ts";
import { defineContract } from "../operation.ts";
import { keyId } from "./fields.ts";
import { keyRecord } from "./key-record.ts";

export const getKey = defineContract({
  version: "v2",
  name: "keys.getKey",
  method: "POST",
  isReadOnly: true,
  path: "/v2/keys.getKey",
  summary: "Get a key",
  input: () =>
    closedObjectOf({
      keyId: keyId(),
      decrypt: z.optional(
        flag().register(docs, {
          description: "Return the value of a recoverable key in `plaintext`. Default: false.",
        }),
      ),
    }),
  output: () => objectOf({ data: keyRecord() }),
});
