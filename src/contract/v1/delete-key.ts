import * as z from "zod/mini";
import { docs, flag, objectOf, text } from "../../schema/fields.ts";
import { defineContract } from "../operation.ts";

export const deleteKey = defineContract({
  name: "keys.deleteKey",
  method: "POST",
  path: "/v1/keys.deleteKey",
  summary: "Delete a key",
  description: "Deletes a key: from now on, every operation answers as if it had never existed.",
  input: () =>
    objectOf({
      keyId: text({ min: 1 }).register(docs, { description: "Identifier of the key." }),
      permanent: z.optional(
        flag().register(docs, {
          description: "Accepted; clients cannot see a difference. Default: false.",
        }),
      ),
    }),
  output: () => objectOf({}),
});
