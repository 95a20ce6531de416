import * as z from "zod";
import * as mini from "zod/mini";
import {
  ApiError,
  defineOperation,
  keyRecord,
  onApi,
  toKeyRecord,
  type Operation,
} from "../src/index.ts";

/** Made with `zod`. */
export const deleteIdentity = defineOperation({
  contract: {
    name: "identities.deleteIdentity",
    method: "POST",
    path: "/v1/identities.deleteIdentity",
    summary: "Delete an identity and its keys",
    input: z.object({
      identityId: z.string().min(1).describe("The identity to delete."),
      reasons: z
        .array(z.enum(["leaked", "unused"]))
        .max(2)
        .optional(),
      times: z.int().positive().optional(),
      note: z.string("expected a note").optional(),
    }),
    output: z.object({}),
    errors: ["NOT_FOUND"],
  },
  requires({ workspace, input: { identityId } }) {
    const keys = workspace.keys.findMany((q) => q.where({ identityId }));
    return keys.map(({ apiId }) => onApi(apiId, "delete_key"));
  },
  run({ workspace, input: { identityId } }) {
    if (workspace.identities.get(identityId) === undefined) {
      throw new ApiError("NOT_FOUND", "identityId: this workspace has no identity with this id");
    }
    workspace.keys.deleteMany((q) => q.where({ identityId }));
    workspace.identities.delete((q) => q.where({ id: identityId }));
    return {};
  },
});

/** Made with `zod/mini`. */
export const getIdentity = defineOperation({
  contract: {
    name: "identities.getIdentity",
    method: "GET",
    path: "/v1/identities.getIdentity",
    input: mini.object({ identityId: mini.string(), decrypt: mini.optional(mini.stringbool()) }),
    output: mini.object({ externalId: mini.string(), keys: mini.array(keyRecord) }),
  },
  run({ workspace, input: { identityId, decrypt = false } }) {
    const identity = workspace.identities.get(identityId);
    if (identity === undefined) throw new ApiError("NOT_FOUND", "identityId: there is none");
    const keys = workspace.keys.findMany((q) => q.where({ identityId }));
    return {
      externalId: identity.externalId,
      keys: keys.map((key) => toKeyRecord(workspace, key, { decrypt })),
    };
  },
});

/** A POST operation with this `run`, which takes any JSON object. */
export const doing = (run: Operation["run"], name = "tests.run") =>
  defineOperation({
    contract: {
      name,
      method: "POST",
      path: `/v1/${name}`,
      input: z.looseObject({}),
      output: z.unknown(),
    },
    run,
  });
