import * as z from "zod/mini";
import { copyJson, unlessEmpty } from "../base/json.ts";
import { toWireJson, toWireMeta } from "../api/v2/json.ts";
import { lazily } from "../base/lazily.ts";
import { UsageError } from "../base/usage-error.ts";
import { escapeOf } from "../base/wording/text.ts";
import type { Emulator } from "../emulator/emulator.ts";
import type { Sandbox } from "../emulator/sandbox.ts";
import * as f from "../schema/fields.ts";
import { meta } from "../schema/meta.ts";
import { toVerifyKeyData, type VerifyKeyData } from "../service/operations/v2/verify-key.ts";
import { timestamp } from "../state/vocabulary.ts";

/** @public For `scripts/reference.js` and `scripts/hover-texts.js`. */
export const principal = lazily(() => {
  const names = f.listOf(f.text(), "names");
  return f.objectOf({
    version: f.described(f.choice(["v1"]), "The version of the principal."),
    subject: f.described(
      f.text(),
      "The external id of the key's identity, or the id of a key without an identity.",
    ),
    type: f.described(f.choice(["API_KEY"]), "How the caller was authenticated."),
    identity: f.optional(
      f.objectOf({
        externalId: f.described(f.text(), "Your id of the customer."),
        meta: f.described(meta(), "Free-form data of the identity."),
      }),
      "The identity of the key. Absent if it has none.",
    ),
    source: f.described(
      f.objectOf({
        key: f.described(
          f.objectOf({
            keyId: f.described(f.text(), "The id of the key."),
            keySpaceId: f.described(f.text(), "The id of the keyspace of its API."),
            name: f.optional(f.text(), "The name of the key. Absent if it is empty."),
            expiresAt: z.optional(timestamp("When the key expires.")),
            credits: f.optional(f.integer({ min: 0 }), "Uses left, if they are limited."),
            meta: f.described(meta(), "Free-form data of the key."),
            roles: f.optional(names, "Its roles. Absent if it has none."),
            permissions: f.optional(
              names,
              "Its permissions, also from its roles. Absent if it has none.",
            ),
          }),
          "The key.",
        ),
      }),
      "What the caller was authenticated with.",
    ),
  });
});
/** The JSON in the header `X-Unkey-Principal`. Members without a value are left out. */
export type Principal = f.ShownBy<typeof principal>;

/** The principal of a verified key, with members in the order of the service. */
export function toPrincipal(verified: Partial<VerifyKeyData>): Principal {
  const { credits, identity, keyId = "", keyspaceId = "", meta = {} } = verified;
  return copyJson({
    version: "v1",
    subject: identity?.externalId ?? keyId,
    type: "API_KEY",
    identity: identity && { externalId: identity.externalId, meta: identity.meta ?? {} },
    source: {
      key: {
        keyId,
        keySpaceId: keyspaceId,
        name: verified.name || undefined,
        expiresAt: verified.expires || undefined,
        credits,
        meta,
        roles: unlessEmpty(verified.roles),
        permissions: unlessEmpty(verified.permissions),
      },
    },
  }) as Principal;
}

/**
 * The principal of a key as the gateway passes it on, to test the code that reads it. Takes no credits
 * and counts no limit; `credits` are the ones left now.
 * @throws UsageError for a key that the gateway refuses, with the reason
 */
export async function principalOf(emulator: Sandbox, key: string): Promise<Principal> {
  const workspaces = (emulator as Partial<Emulator>).workspaces?.all() ?? [emulator];
  const workspace = workspaces.find(({ keys }) => keys.findByValue(key) !== undefined);
  const found = workspace?.keys.findByValue(key);
  const keyspaceId = workspace?.apis.get(found?.apiId)?.keyspaceId;
  if (workspace === undefined || found === undefined || keyspaceId === undefined)
    throw new UsageError("principalOf: expected the value of a key, but no key has this value");
  const { enabled, expires, id, remaining } = found;
  const reason =
    (!enabled && "is disabled") ||
    (expires && expires < workspace.clock.now() && `expired at ${new Date(expires).toJSON()}`) ||
    (remaining !== undefined && remaining < 1 && "has no credits left");
  const expected = "principalOf: expected a key that the gateway lets in";
  if (reason) throw new UsageError(`${expected}, but ${id} ${reason}`);
  const verified = toVerifyKeyData(workspace, found, keyspaceId, { code: "VALID" });
  return toPrincipal(JSON.parse(toWireJson(verified) ?? ""));
}

/** The value of the header: JSON as Go writes it, in UTF-8, with one character for each byte. */
export function principalHeader({ identity, source, ...others }: Principal): string {
  const text = toWireJson({
    ...others,
    identity: identity && { ...identity, meta: toWireMeta(identity.meta) },
    source: { key: { ...source.key, meta: toWireMeta(source.key.meta) } },
  });
  // A header must not have the character DEL.
  const bytes = new TextEncoder().encode(text?.replaceAll("\u007f", escapeOf));
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
}
