import * as z from "zod/mini";
import { docs, integer, objectOf } from "../../schema/fields.ts";
import { lazily } from "../../base/lazily.ts";
import { defineContract } from "../operation.ts";
import { createKeyResult } from "./create-key.ts";
import { keyId, MAX_EXPIRES } from "./fields.ts";

/** The service ignores members of this body that it does not know, unlike those of all others. */
const rerollKeyBody = lazily(() =>
  objectOf({
    keyId: keyId(),
    expiration: z.nullable(integer({ min: 0, max: MAX_EXPIRES })).register(docs, {
      description:
        "How long the old key stays valid, in milliseconds. Its expiry is rounded up to a full minute; 0: it expires at once; null: it stays as it is.",
    }),
  }).register(docs, { id: "RerollKeyBody", description: "The key to replace." }),
);

export const rerollKey = defineContract({
  version: "v2",
  name: "keys.rerollKey",
  method: "POST",
  path: "/v2/keys.rerollKey",
  summary: "Replace a key",
  description:
    "Creates a key with the settings of another one. Both are valid until the old one expires.",
  input: rerollKeyBody,
  output: createKeyResult,
});
