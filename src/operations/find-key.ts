import type { KeySecret } from "../store/key-secret.ts";
import type { Key } from "../store/key.ts";
import type { Workspace } from "../store/workspace.ts";

// The versions refuse an unknown key differently: v1/require-key.ts, v2/require-key.ts.

/** The key with this id; undefined if there is none, or its API was deleted. */
export function keyWithId(workspace: Workspace, keyId: string): Key | undefined {
  return unlessApiDeleted(workspace, workspace.keys.get(keyId));
}

/** The key with this value or hash; undefined if there is none, or its API was deleted. */
export function keyWithSecret(workspace: Workspace, secret: KeySecret): Key | undefined {
  return unlessApiDeleted(workspace, workspace.keys.findBySecret(secret));
}

function unlessApiDeleted({ apis }: Workspace, key: Key | undefined): Key | undefined {
  return key !== undefined && apis.get(key.apiId) !== undefined ? key : undefined;
}
