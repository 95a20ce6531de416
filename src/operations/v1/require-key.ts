import { quoted } from "../../base/wording/shorten.ts";
import { ApiError } from "../../contract/errors.ts";
import type { Key } from "../../store/key.ts";
import type { Workspace } from "../../store/workspace.ts";
import { keyWithId } from "../keys.ts";

/**
 * The key with this id in the workspace of the call.
 * @throws ApiError NOT_FOUND if there is none, its API was deleted, or another workspace has it
 */
export function requireKey(workspace: Workspace, keyId: string): Key {
  const key = keyWithId(workspace, keyId);
  if (key !== undefined) return key;
  throw new ApiError("NOT_FOUND", `The key ${quoted(keyId)} was not found.`);
}
