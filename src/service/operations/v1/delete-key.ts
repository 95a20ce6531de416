import { ApiError } from "../../../api/errors.ts";
import * as f from "../../../schema/fields.ts";
import { about, permanent } from "../fields.ts";
import { onKey, operationOfV1 } from "../operation.ts";
import { keyWithId } from "../keys.ts";
import { requireKey } from "./shared.ts";

export const deleteKey = operationOfV1("keys.deleteKey", {
  summary: "Delete a key",
  description: "Deletes a key: from now on, every operation answers as if it had never existed.",
  input: () =>
    f.objectOf({
      keyId: f.described(f.text({ min: 1 }), about.keyId),
      permanent: permanent(),
    }),
  output: () => f.objectOf({}),

  run({ demand, input: { keyId }, workspace, workspaces }) {
    // In fixtures, keys of two workspaces may have the same id.
    const isOwn = keyWithId(workspace, keyId) !== undefined;
    if (!isOwn && workspaces.some((other) => keyWithId(other, keyId) !== undefined)) {
      const message = "keyId: the key belongs to another workspace";
      throw new ApiError("UNAUTHORIZED", message, { status: 403 });
    }
    const key = requireKey(workspace, keyId);
    demand([onKey(key, "delete_key")]);
    workspace.keys.remove(key);
    return {};
  },
});
