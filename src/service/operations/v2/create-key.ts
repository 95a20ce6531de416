import * as z from "zod/mini";
import * as f from "../../../schema/fields.ts";
import { lazily } from "../../../base/lazily.ts";
import { DEFAULT_KEY_BYTES, prefixOf } from "../../../state/id-maker.ts";
import { keyInit } from "../../../state/keys/key.ts";
import type { Api } from "../../../state/records/apis.ts";
import type { Workspace } from "../../../state/workspace.ts";
import { about, newKeyMembers } from "../fields.ts";
import { noEncryption, noKeyspace, unknownApi } from "../hints.ts";
import { onApi, operationOfV2 } from "../operation.ts";
import { checkCredits, externalId, newKeyInput, roleNames, word } from "./fields.ts";
import { refusals, refuse, requireNamed } from "./refusals.ts";

const createKeyBody = lazily(() => {
  const { byteLength, recoverable } = keyInit().shape;
  const { credits, enabled, expires, meta, name, permissions, ratelimits } = newKeyInput();
  return f.described(
    f.closedObjectOf({
      apiId: f.described(word({ min: 3, max: 255 }), about.apiOfKey),
      prefix: f.optional(
        word({ min: 1, max: 16 }),
        "The value begins with it and an underscore; default: the API's prefix.",
      ),
      name,
      byteLength,
      externalId: z.optional(f.described(externalId(), about.externalId)),
      meta,
      roles: f.optional(roleNames(), "Names of roles, which must exist."),
      permissions,
      expires,
      credits,
      ratelimits,
      enabled,
      recoverable,
    }),
    {
      id: "CreateKeyBody",
      description: "The key to create.",
      examples: [{ apiId: "api_local", prefix: "test", name: "CI", meta: { team: "web" } }],
    },
  );
});

type CreateKeyBody = z.output<ReturnType<typeof createKeyBody>>;

export const createKeyResult = lazily(() => {
  const { key, keyId } = newKeyMembers();
  return f.component("CreateKeyResult", "The new key.", { data: f.objectOf({ key, keyId }) });
});

export const createKey = operationOfV2("keys.createKey", {
  summary: "Create a key",
  description:
    "Creates a key for an API and returns its value, which no later call shows unless the key is `recoverable`. Permissions and the identity that it names are created with it where they do not exist; roles must exist.",
  input: createKeyBody,
  output: createKeyResult,

  /** Checks in the order of the service; nothing is written before the last check. */
  run(call) {
    const { demand, input, workspace } = call;
    const { apiId, credits, recoverable, roles } = input;
    // The service does not notice that an API was deleted.
    const deleted = workspace.deletedApis.get(apiId);
    const api = workspace.apis.get(apiId) ?? deleted;
    // First the permission: without it, the service answers as if there was no such API. It is demanded
    // for an unknown API too, because the hint must not reveal whether the API exists.
    demand([onApi(apiId, "create_key")], refusals.specifiedApi);
    if (api?.keyspace === false) throw refuse(refusals.noKeyspace, noKeyspace(api));
    if (recoverable) demand([onApi(apiId, "encrypt_key")], refusals.specifiedApi);
    if (api === undefined) throw refuse(refusals.specifiedApi, unknownApi(call, "create_key"));
    if (recoverable && !api.storeEncryptedKeys) {
      throw refuse(refusals.noEncryption, noEncryption(api));
    }
    checkCredits(credits);
    requireNamed(call, "roles", roles);
    const permissions = workspace.permissions.spelled(input.permissions ?? []);
    if (api === deleted) {
      call.advise(`the API ${apiId} was deleted, so the key cannot be verified, read or changed`);
      return { data: unreachableKey(workspace, { ...input, permissions }, api) };
    }
    const { record, value } = workspace.keys.issue({ ...input, permissions }, "v2");
    // Most often the clock of the emulator and that of the program differ.
    const now = workspace.clock.now();
    if (record.expires !== undefined && record.expires < now)
      call.advise(`the key has expired already: the clock says ${new Date(now).toISOString()}`);
    return { data: { key: value, keyId: record.id } };
  },
});

/** A key of a deleted API. Nothing finds it, so it is not stored. */
function unreachableKey(
  { clock, identities, ids, permissions }: Workspace,
  input: CreateKeyBody,
  api: Api,
) {
  const { byteLength = api.defaultByteLength ?? DEFAULT_KEY_BYTES, externalId } = input;
  permissions.ensureAll(input.permissions);
  if (externalId !== undefined) identities.ensure(externalId);
  const key = ids.keyValue(prefixOf(input, api), byteLength, "v2");
  return { key, keyId: ids.next("key", clock.now()) };
}
