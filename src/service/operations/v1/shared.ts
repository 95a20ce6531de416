import { ApiError } from "../../../api/errors.ts";
import type { Api } from "../../../state/records/apis.ts";
import type { Workspace } from "../../../state/workspace.ts";
import { quoted } from "../../../base/wording/text.ts";
import { describeRecords } from "../hints.ts";
import type { Key } from "../../../state/keys/key.ts";
import { keyWithId } from "../keys.ts";
import * as z from "zod/mini";
import * as f from "../../../schema/fields.ts";
import type { Quirks } from "../../../api/quirks.ts";

/**
 * The API with this id in the workspace of the call.
 * @throws ApiError NOT_FOUND if this workspace has no such API, or PRECONDITION_FAILED if the API has
 *   no keyspace and so cannot have keys
 */
export function requireApi(workspace: Workspace, apiId: string): Api {
  const api = workspace.apis.get(apiId);
  if (api === undefined) {
    throw new ApiError("NOT_FOUND", `apiId: this workspace has no API ${quoted(apiId)}`, {
      hint: describeRecords(workspace, "apis"),
    });
  }
  if (!api.keyspace) {
    throw new ApiError("PRECONDITION_FAILED", "apiId: the API has no keyspace, so it has no keys");
  }
  return api;
}

/**
 * The key with this id in the workspace of the call.
 * @throws ApiError NOT_FOUND if there is none, its API was deleted, or another workspace has it
 */
export function requireKey(workspace: Workspace, keyId: string): Key {
  const key = keyWithId(workspace, keyId);
  if (key !== undefined) return key;
  throw new ApiError("NOT_FOUND", `The key ${quoted(keyId)} was not found.`);
}

/** Spellings in lower case, because Python clients send `True`. Undefined means: not given. */
const flagSpellings: ReadonlyMap<string, boolean | undefined> = new Map([
  ["true", true],
  ["1", true],
  ["false", false],
  ["0", false],
  ["null", undefined],
  ["", undefined],
]);

const STRICT_FLAG =
  "Accepts `true` and `false` in any case, `1` and `0`. `null` and an empty value mean: not given.";
const LOOSE_FLAG = "Any text is true, even `false`; an empty value means: not given.";

export function queryFlag(description: string, quirks: Quirks) {
  const error = "expected true, false, 1, 0 or null";
  const isLoose = quirks.has("truthy-strings");
  const isKnown = (text: string) => isLoose || flagSpellings.has(text.toLowerCase());
  const toFlag = (text: string) =>
    isLoose ? text !== "" || undefined : flagSpellings.get(text.toLowerCase());
  return f.described(
    z.pipe(z.string({ error }).check(z.refine(isKnown, { error })), z.transform(toFlag)),
    {
      // The service's documentation says "boolean or null", but clients that are generated from that
      // cannot write null into a query. It would mean: no parameter.
      type: "boolean",
      description: `${description} ${isLoose ? LOOSE_FLAG : STRICT_FLAG}`,
    },
  );
}

export function decryptFlag(what: string, quirks: Quirks) {
  const description = `${what} in \`plaintext\`. A token without the right to decrypt is refused with 403 and \`UNAUTHORIZED\`.`;
  return queryFlag(description, quirks);
}

/** As in the service: this code usually has the status 401. */
export const MAY_NOT_DECRYPT = { code: "UNAUTHORIZED", status: 403 } as const;
