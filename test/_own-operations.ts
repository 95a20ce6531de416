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
export const deleteKey = defineOperation({
  contract: {
    name: "keys.deleteKey",
    method: "POST",
    path: "/v1/keys.deleteKey",
    summary: "Delete a key",
    input: z.object({
      keyId: z.string().min(1).describe("The key to delete."),
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
  requires({ workspace, input }) {
    return [onApi(workspace.keys.get(input.keyId)?.apiId ?? "*", "delete_key")];
  },
  run({ workspace, input: { keyId } }) {
    if (workspace.keys.get(keyId) === undefined) {
      throw new ApiError("NOT_FOUND", "keyId: this workspace has no key with this id");
    }
    workspace.keys.delete((q) => q.where({ id: keyId }));
    return {};
  },
});

/** Made with `zod/mini`. */
export const getKey = defineOperation({
  contract: {
    name: "keys.getKey",
    method: "GET",
    path: "/v1/keys.getKey",
    input: mini.object({ keyId: mini.string(), decrypt: mini.optional(mini.stringbool()) }),
    output: keyRecord,
  },
  run({ workspace, input: { keyId, decrypt = false } }) {
    const key = workspace.keys.get(keyId);
    if (key === undefined) throw new ApiError("NOT_FOUND", "keyId: there is none");
    return toKeyRecord(workspace, key, { decrypt });
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
