import * as z from "zod/mini";
import { ApiError } from "../../contract/errors.ts";
import { docs, flag, integer, objectOf, text } from "../../schema/fields.ts";
import { meta } from "../../schema/meta.ts";
import { timestamp } from "../../store/vocabulary.ts";
import { about } from "../fields.ts";
import { operationOfV1 } from "../operation.ts";
import { keyWithSecret } from "../keys.ts";
import { onApi } from "../requirements.ts";

export const whoami = operationOfV1({
  name: "keys.whoami",
  isReadOnly: true,
  summary: "Get a key by its value",
  input: () => objectOf({ key: text({ min: 1 }).register(docs, about.keyValue) }),
  output: () =>
    objectOf({
      id: text().register(docs, about.keyId),
      name: z.optional(text()),
      remaining: z.optional(integer().register(docs, about.uses)),
      identity: z.optional(objectOf({ id: text(), externalId: text() })),
      meta: z.optional(meta()),
      createdAt: timestamp("When the key was created."),
      enabled: flag().register(docs, about.enabled),
      environment: z.optional(text()),
    }),

  run({ demand, input, workspace }) {
    const key = keyWithSecret(workspace, input.key);
    if (key === undefined) {
      throw new ApiError("NOT_FOUND", "key: no key of this workspace has this value");
    }
    demand([onApi(key.apiId, "read_key")]);
    const { identities } = workspace;
    const identity = identities.get(key.identityId);
    const isMetaEmpty = Object.keys(key.meta ?? {}).length === 0;
    return {
      id: key.id,
      name: key.name || undefined,
      remaining: key.remaining,
      identity: identity && { id: identity.id, externalId: identity.externalId },
      meta: isMetaEmpty ? undefined : key.meta,
      createdAt: key.createdAt,
      enabled: key.enabled,
      environment: key.environment || undefined,
    };
  },
});
