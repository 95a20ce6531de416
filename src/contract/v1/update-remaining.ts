import * as z from "zod/mini";
import { choice, docs, integer, objectOf, text } from "../../schema/fields.ts";
import { defineContract } from "../operation.ts";

export const updateRemaining = defineContract({
  name: "keys.updateRemaining",
  method: "POST",
  path: "/v1/keys.updateRemaining",
  summary: "Change the uses left of a key",
  input: () =>
    objectOf({
      keyId: text().register(docs, { description: "Identifier of the key." }),
      op: choice(["increment", "decrement", "set"]).register(docs, {
        description: "What to do with the uses left.",
      }),
      value: z
        .nullable(integer())
        .register(docs, { description: "How many uses; null with `set`: any number." }),
    }),
  output: () =>
    objectOf({
      remaining: z.nullable(integer()).register(docs, {
        description: "Uses left; null: any number.",
      }),
    }),
});
