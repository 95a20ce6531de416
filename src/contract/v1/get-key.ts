import * as z from "zod/mini";
import { docs, listOf, objectOf, text } from "../../schema/fields.ts";
import { lazily } from "../../base/lazily.ts";
import { meta } from "../../schema/meta.ts";
import { defineContract } from "../operation.ts";
import type { Quirks } from "../quirks.ts";
import { extendedRefill, extendedRatelimit, keyRecord } from "./key-record.ts";
import { queryFlag } from "./query-flag.ts";

/** A key as `keys.getKey` returns it: unlike in a list, without the permissions of its roles. */
const keyDetails = lazily(() =>
  z
    .extend(z.omit(keyRecord, { identity: true }), {
      refill: z.optional(extendedRefill),
      ratelimit: z.optional(extendedRatelimit),
      permissions: listOf(text(), "permission names").register(docs, {
        description: "The key's own permissions, without those of its roles.",
      }),
      identity: z.optional(objectOf({ id: text(), externalId: text(), meta })),
    })
    .register(docs, { id: "KeyDetails", description: "A key." }),
);

export function getKeyWith(quirks: Quirks) {
  return defineContract({
    name: "keys.getKey",
    method: "GET",
    path: "/v1/keys.getKey",
    summary: "Get a key",
    input: () =>
      objectOf({
        keyId: text({ min: 1 }).register(docs, { description: "Identifier of the key." }),
        decrypt: z.optional(
          queryFlag(
            "Return the value of a recoverable key in `plaintext`. A token without the right to decrypt is refused with 403 and `UNAUTHORIZED`.",
            quirks,
          ),
        ),
      }),
    output: keyDetails,
  });
}

export type KeyDetails = z.input<ReturnType<typeof keyDetails>>;
