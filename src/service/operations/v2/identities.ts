import * as z from "zod/mini";
import { lazily } from "../../../base/lazily.ts";
import { type AdmittedCall, operationOfV2, RawJson } from "../operation.ts";
import { toWireJson } from "../../../api/v2/json.ts";
import * as f from "../../../schema/fields.ts";
import { MAX_IDENTITY_BYTES, type Meta } from "../../../schema/meta.ts";
import type { NamedRatelimit } from "../../../state/limits/ratelimits.ts";
import type { Identity } from "../../../state/records/identities.ts";
import { quoted } from "../../../base/wording/text.ts";
import { describeRecords } from "../hints.ts";
import * as fields from "./fields.ts";
import { identity, toIdentity } from "./key-record.ts";
import { refusals, refuse, refuseUnknown } from "./refusals.ts";

const idOrExternalId = lazily(() => f.described(f.text({ min: 1 }), "Its id or its external id."));

// Unlike most inputs of v2, this one accepts unknown members, as at the service.
const createIdentityBody = lazily(() =>
  f.component("CreateIdentityBody", "The identity to create.", {
    externalId: f.described(fields.externalId(), "Your id for it. Keys refer to it by this id."),
    meta: z.optional(fields.identityMeta()),
    ratelimits: f.optional(
      fields.ratelimitList(),
      "Rate limits that all its keys share. Of two with the same name, the last one is used.",
    ),
  }),
);

/** Members that are left out stay as they are. */
const updateIdentityBody = lazily(() =>
  f.described(
    f.closedObjectOf({
      identity: idOrExternalId(),
      meta: z.optional(fields.identityMeta()),
      ratelimits: f.optional(
        fields.ratelimitList(),
        "Its rate limits, in place of all others; empty: none.",
      ),
    }),
    { id: "UpdateIdentityBody", description: "The members to change." },
  ),
);

export const createIdentity = operationOfV2("identities.createIdentity", {
  summary: "Create an identity",
  input: createIdentityBody,
  output: () => f.objectOf({ data: f.objectOf({ identityId: f.text() }) }),
  requires: () => [{ oneOf: ["identity.*.create_identity"] }],

  run({ input, workspace: { identities } }) {
    const { externalId: name, meta, ratelimits } = input;
    checkSize(meta);
    if (identities.named(name) !== undefined) throw refuse(refusals.takenExternalId(name));
    return { data: { identityId: identities.add({ externalId: name, meta, ratelimits }).id } };
  },
});

export const getIdentity = operationOfV2("identities.getIdentity", {
  isReadOnly: true,
  summary: "Get an identity",
  input: () => f.closedObjectOf({ identity: idOrExternalId() }),
  output: () => f.objectOf({ data: identity() }),

  run(call) {
    const found = requireIdentity(call);
    const permissions = ["identity.*.read_identity", `identity.${found.id}.read_identity`];
    call.demand([{ oneOf: permissions }]);
    return { data: toIdentity(found) };
  },
});

export const listIdentities = operationOfV2("identities.listIdentities", {
  isReadOnly: true,
  summary: "List the identities",
  description:
    "Returns a page of identities. While the answer has a `pagination.cursor`, send it with the same search to get the next page.",
  input: () => f.closedObjectOf({ ...fields.pageMembers(), search: fields.search() }),
  output: () => fields.pageOutput(identity(), "identities"),

  *run({ demand, input, workspace: { identities } }) {
    const page = yield* fields.pageOf(identities, input, ({ externalId: name, id }) => [id, name]);
    // For each identity, so that an empty page needs no permission, and a refusal names the first
    // identity that the token may not read.
    for (const { id } of page.items) {
      demand([{ oneOf: [`identity.${id}.read_identity`, "identity.*.read_identity"] }]);
    }
    return {
      data: page.items.map((item) => toIdentity(item)),
      pagination: page.pagination,
    };
  },
});

export const updateIdentity = operationOfV2("identities.updateIdentity", {
  summary: "Change an identity",
  description:
    "Changes the members that are sent. A rate limit whose name stays keeps its id, and the uses that it has counted.",
  input: updateIdentityBody,
  output: () => f.objectOf({ data: identity() }),
  requires: () => [{ oneOf: ["identity.*.update_identity"] }],

  run(call) {
    const { meta, ratelimits } = call.input;
    const { identities } = call.workspace;
    checkNames(ratelimits);
    checkSize(meta);
    const found = requireIdentity(call);
    const changed = identities.update(found, {
      ...found,
      ...(meta && { meta }),
      ...(ratelimits && { ratelimits }),
    });
    return { data: toIdentity(changed) };
  },
});

export const deleteIdentity = operationOfV2("identities.deleteIdentity", {
  summary: "Delete an identity",
  description:
    "Deletes an identity with its rate limits. Its keys stay, and belong to no identity then.",
  input: () => f.closedObjectOf({ identity: idOrExternalId() }),
  output: () => f.objectOf({}),
  requires: () => [{ oneOf: ["identity.*.delete_identity"] }],

  run(call) {
    call.workspace.identities.remove(requireIdentity(call));
    // As in the service, the body has no `data`, which other replies of v2 have.
    return new RawJson([`{"meta":{"requestId":"${call.requestId}"}}`], {});
  },
});

/**
 * The identity with this id or else, if there is none, with this external id.
 * @throws ApiError if this workspace has no such identity
 */
function requireIdentity(call: AdmittedCall<{ readonly identity: string }>): Identity {
  const { input, may, workspace } = call;
  const found = workspace.identities.find(input.identity);
  if (found !== undefined) return found;
  const missing = `no identity of this workspace has the id or external id ${quoted(input.identity)}`;
  const mayRead = may([{ oneOf: ["identity.*.read_identity"] }]);
  const others = mayRead ? describeRecords(workspace, "identities") : undefined;
  throw refuseUnknown(refusals.unknownIdentity, missing, others);
}

/** @throws ApiError for two rate limits with the same name */
function checkNames(ratelimits: readonly NamedRatelimit[] = []): void {
  const seen = new Set<string>();
  for (const { name } of ratelimits) {
    if (seen.has(name)) throw refuse(refusals.doubledRatelimit(name));
    seen.add(name);
  }
}

/** @throws ApiError for `meta` that is too large */
function checkSize(meta: Meta = {}): void {
  const bytes = new TextEncoder().encode(toWireJson(meta)).length;
  if (bytes > MAX_IDENTITY_BYTES) throw refuse(refusals.tooLargeMeta(bytes, MAX_IDENTITY_BYTES));
}
