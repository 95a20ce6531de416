import type { Key } from "../../store/key.ts";
import { quoted } from "../../base/wording/shorten.ts";
import { describeKeys } from "../hints.ts";
import type { AdmittedCall } from "../operation.ts";
import { keyWithId } from "../keys.ts";
import { refusals, refuse } from "./refusals.ts";

type CallOfKey = Pick<
  AdmittedCall<{ readonly keyId: string }>,
  "input" | "may" | "workspace" | "workspaces"
>;

/**
 * The key that a call names.
 * @throws ApiError if no workspace has the key, and with another message if another workspace has it
 */
export function requireKey(call: CallOfKey): Key {
  const { input, workspace, workspaces } = call;
  const key = keyWithId(workspace, input.keyId);
  if (key !== undefined) return key;
  if (workspaces.some((other) => keyWithId(other, input.keyId) !== undefined)) {
    throw refuse(refusals.otherKey, `${noSuchKey(call)}; another workspace has one`);
  }
  throw refuse(refusals.unknownKey, noSuchKey(call) + whatThereIs(call));
}

/**
 * The key that a call names, for operations that do not reveal whether another workspace has it.
 * @throws ApiError if the workspace of the call has no such key
 */
export function requireOwnKey(call: CallOfKey): Key {
  const key = keyWithId(call.workspace, call.input.keyId);
  if (key !== undefined) return key;
  throw refuse(refusals.otherKey, noSuchKey(call) + whatThereIs(call));
}

function noSuchKey({ input }: CallOfKey): string {
  return `no key of this workspace has the id ${quoted(input.keyId)}`;
}

/** Empty for a token that may not read every key, because it must not learn which keys exist. */
function whatThereIs({ may, workspace }: CallOfKey): string {
  return may([{ oneOf: ["api.*.read_key"] }]) ? `; ${describeKeys(workspace)}` : "";
}
