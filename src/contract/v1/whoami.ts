import * as z from "zod/mini";
import { docs, flag, integer, objectOf, text } from "../../schema/fields.ts";
import { meta } from "../../schema/meta.ts";
import { defineContract } from "../operation.ts";
import { timestamp } from "../../store/vocabulary.ts";

export const whoami = defineContract({
  name: "keys.whoami",
  method: "POST",
  path: "/v1/keys.whoami",
  isReadOnly: true,
  summary: "Get a key by its value",
  input: () =>
    objectOf({ key: text({ min: 1 }).register(docs, { description: "The key value." }) }),
  output: () =>
    objectOf({
      id: text().register(docs, { description: "Identifier of the key." }),
      name: z.optional(text()),
      remaining: z.optional(integer().register(docs, { description: "Uses left." })),
      identity: z.optional(objectOf({ id: text(), externalId: text() })),
      meta: z.optional(meta),
      createdAt: timestamp("When the key was created."),
      enabled: flag().register(docs, { description: "Whether the key works." }),
      environment: z.optional(text()),
    }),
});
