import { ApiError, defineOperation } from "latchkey";
import * as z from "zod";

const identity = z.string().min(1).max(255).describe("The id of an identity, or its external id.");
const meta = z.record(z.string(), z.unknown());
const data = z.object({ id: z.string(), externalId: z.string(), meta: meta.optional() });

export const getIdentity = defineOperation({
  contract: {
    name: "identities.getIdentity",
    method: "POST",
    path: "/v2/identities.getIdentity",
    summary: "Get an identity",
    isReadOnly: true,
    // v2 refuses unknown members.
    input: z.strictObject({ identity }),
    output: z.object({ data }),
  },

  requires: () => [{ oneOf: ["identity.*.read_identity"] }],

  run({ workspace, input }) {
    return { data: toData(requireIdentity(workspace, input.identity)) };
  },
});

export const updateIdentity = defineOperation({
  contract: {
    name: "identities.updateIdentity",
    method: "POST",
    path: "/v2/identities.updateIdentity",
    summary: "Change an identity",
    input: z.strictObject({ identity, meta: meta.optional() }),
    output: z.object({ data }),
  },

  requires: () => [{ oneOf: ["identity.*.update_identity"] }],

  async run({ workspace, input }) {
    const { id } = requireIdentity(workspace, input.identity);
    if (input.meta !== undefined) {
      const change = (record) => void (record.meta = input.meta);
      await workspace.identities.update({ id }, { data: change });
    }
    return { data: toData(workspace.identities.get(id)) };
  },
});

function toData({ id, externalId, meta }) {
  return { id, externalId, meta };
}

function requireIdentity({ identities }, idOrExternalId) {
  const found = identities.get(idOrExternalId) ?? identities.named(idOrExternalId);
  if (found === undefined) {
    const type = "unkey/data/identity_not_found";
    throw new ApiError("NOT_FOUND", "The identity was not found.", { type });
  }
  return found;
}
