import { ApiError, defineOperation } from "latchkey";
import * as z from "zod";

const identityId = z.string().min(1).describe("The id of an identity.");
const meta = z.record(z.string(), z.unknown());
const output = z.object({ id: z.string(), externalId: z.string(), meta });

const getIdentity = defineOperation({
  contract: {
    name: "identities.getIdentity",
    // The input of a GET is the query.
    method: "GET",
    path: "/v1/identities.getIdentity",
    summary: "Get an identity",
    input: z.object({ identityId }),
    output,
  },

  requires: () => [{ oneOf: ["identity.*.read_identity"] }],

  run({ workspace, input }) {
    return toRecord(requireIdentity(workspace, input.identityId));
  },
});

const updateIdentity = defineOperation({
  contract: {
    name: "identities.updateIdentity",
    method: "POST",
    path: "/v1/identities.updateIdentity",
    summary: "Change an identity",
    input: z.object({ identityId, meta: meta.optional() }),
    output,
  },

  requires: () => [{ oneOf: ["identity.*.update_identity"] }],

  async run({ workspace, input }) {
    const { id } = requireIdentity(workspace, input.identityId);
    if (input.meta !== undefined) {
      const change = (record) => void (record.meta = input.meta);
      await workspace.identities.update({ id }, { data: change });
    }
    return toRecord(workspace.identities.get(id));
  },
});

export default [getIdentity, updateIdentity];

function toRecord({ id, externalId, meta }) {
  return { id, externalId, meta };
}

function requireIdentity({ identities }, id) {
  const found = identities.get(id);
  if (found === undefined) throw new ApiError("NOT_FOUND", `identity ${id} not found`);
  return found;
}
