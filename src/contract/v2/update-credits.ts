import * as z from "zod/mini";
import { choice, closedObjectOf, docs, integer, objectOf, text } from "../../schema/fields.ts";
import { lazily } from "../../base/lazily.ts";
import { defineContract } from "../operation.ts";
import { refill } from "./key-record.ts";

const updateCreditsBody = lazily(() =>
  closedObjectOf({
    keyId: text({ min: 3 }).register(docs, { description: "Identifier of the key." }),
    operation: choice(["set", "increment", "decrement"]).register(docs, {
      description: "What to do with the uses left.",
    }),
    value: z.optional(
      z.nullable(integer({ min: 0 })).register(docs, {
        description: "How many uses; null or nothing with `set`: any number.",
      }),
    ),
  }),
);

export const updateCredits = defineContract({
  version: "v2",
  name: "keys.updateCredits",
  method: "POST",
  path: "/v2/keys.updateCredits",
  summary: "Change the uses left of a key",
  input: updateCreditsBody,
  output: () =>
    objectOf({
      data: objectOf({
        refill: z.optional(refill()),
        remaining: z.nullable(integer()).register(docs, {
          description: "Uses left; null: any number.",
        }),
      }),
    }),
});

export type UpdateCreditsBody = z.output<ReturnType<typeof updateCreditsBody>>;
