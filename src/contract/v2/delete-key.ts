import * as z from "zod/mini";
import { closedObjectOf, docs, flag, objectOf } from "../../schema/fields.ts";
import { defineContract } from "../operation.ts";
import { keyId } from "./fields.ts";

export const deleteKey = defineContract({
  version: "v2",
  name: "keys.deleteKey",
  method: "POST",
  path: "/v2/keys.deleteKey",
  summary: "Delete a key",
  description: "Deletes a key: from now on, every operation answers as if it had never existed.",
  input: () =>
    closedObjectOf({
      keyId: keyId(),
      permanent: z.optional(
        flag().register(docs, {
          description: "Accepted; clients cannot see a difference. Default: false.",
        }),
      ),
    }),
  output: () => objectOf({ data: objectOf({}) }),
});
