import * as z from "zod/mini";
import type { Quirks } from "../../../api/quirks.ts";
import * as f from "../../../schema/fields.ts";
import { lazily } from "../../../base/lazily.ts";
import { meta } from "../../../schema/meta.ts";
import type { Key } from "../../../state/keys/key.ts";
import type { Workspace } from "../../../state/workspace.ts";
import { about } from "../fields.ts";
import { onKey, operationOfV1 } from "../operation.ts";
import {
  extendedRatelimit,
  extendedRefill,
  keyRecord,
  toDocumentedRecord,
  toExtendedRatelimit,
  toExtendedRefill,
} from "./key-record.ts";
import { decryptFlag, MAY_NOT_DECRYPT, requireKey } from "./shared.ts";

/** Unlike in a list, `permissions` has only the key's own permissions, without those of its roles. */
const keyDetails = lazily(() =>
  f.described(
    z.extend(z.omit(keyRecord, { identity: true }), {
      refill: z.optional(extendedRefill()),
      ratelimit: z.optional(extendedRatelimit()),
      permissions: f.described(
        f.listOf(f.text(), "permission names"),
        "Names of the key's own permissions, not their slugs, and without those of its roles.",
      ),
      identity: z.optional(f.objectOf({ id: f.text(), externalId: f.text(), meta: meta() })),
    }),
    { id: "KeyDetails", description: "A key." },
  ),
);

export const getKey = operationOfV1("keys.getKey", {
  method: "GET",
  summary: "Get a key",
  input: (quirks: Quirks) =>
    f.objectOf({
      keyId: f.described(f.text({ min: 1 }), about.keyId),
      decrypt: z.optional(decryptFlag("Return the value of a recoverable key", quirks)),
    }),
  output: keyDetails,

  run({ demand, input, workspace }) {
    const { decrypt = false, keyId } = input;
    const key = requireKey(workspace, keyId);
    demand([onKey(key, "read_key")]);
    if (decrypt) demand([onKey(key, "decrypt_key")], MAY_NOT_DECRYPT);
    return toDetails(workspace, key, decrypt);
  },
});

/** The members are in the order of the service, which differs from a list. */
function toDetails(
  workspace: Workspace,
  key: Key,
  decrypt: boolean,
): z.input<ReturnType<typeof keyDetails>> {
  const { id, start, apiId, ...record } = toDocumentedRecord(workspace, key, decrypt);
  return {
    id,
    start,
    apiId,
    ...record,
    expires: key.expires,
    refill: key.refill && toExtendedRefill(key.refill),
    ratelimit: toExtendedRatelimit(key, true),
    permissions: key.permissions.map((slug) => workspace.permissions.named(slug)?.name ?? slug),
  };
}
