import type * as z from "zod/mini";
import { ApiError } from "../../../api/errors.ts";
import { type AdmittedCall, onApi, operationOfV2, RawJson } from "../operation.ts";
import { toWireJson } from "../../../api/v2/json.ts";
import * as f from "../../../schema/fields.ts";
import { lazily } from "../../../base/lazily.ts";
import type { KeyFormat } from "../../../state/keys/key-pages.ts";
import type { Api } from "../../../state/records/apis.ts";
import type { Workspace } from "../../../state/workspace.ts";
import { listMembers } from "../fields.ts";
import { noEncryption, noKeyspace, unknownApi } from "../hints.ts";
import { filterOf, inSteps, readPage, type Selection, writePage } from "../keys.ts";
import { decryptFlag, pageMembers, pageOutput, toPagination } from "./fields.ts";
import { keyRecord, toKeyRecord } from "./key-record.ts";
import { refusals, refuse } from "./refusals.ts";

const listKeysBody = lazily(() => {
  const { apiId, externalId } = listMembers();
  return f.described(
    f.closedObjectOf({
      apiId,
      ...pageMembers(),
      externalId,
      decrypt: decryptFlag("Return the values of recoverable keys"),
      revalidateKeysCache: f.optional(f.flag(), "Accepted, and without effect, as in the service."),
    }),
    {
      id: "ListKeysBody",
      description: "The page to list.",
      examples: [{ apiId: "api_local", limit: 10 }],
    },
  );
});
type ListKeysBody = z.output<ReturnType<typeof listKeysBody>>;

const listKeysResult = lazily(() =>
  f.described(pageOutput(keyRecord(), "keys"), {
    id: "ListKeysResult",
    description: "A page of keys, ascending by id.",
  }),
);

export const listKeys = operationOfV2("apis.listKeys", {
  isReadOnly: true,
  summary: "List the keys of an API",
  description:
    "Returns a page of keys. While the answer has a `pagination.cursor`, send it with the same filters to get the next page.",
  input: listKeysBody,
  output: listKeysResult,

  run(call) {
    const { demand, input, workspace } = call;
    const api = requireListedApi(call);
    if (!input.decrypt) return inSteps((longest) => toJsonPage(workspace, input, longest));
    demand([onApi(api.id, "decrypt_key")]);
    if (!api.storeEncryptedKeys) throw refuse(refusals.noEncryptionOfList, noEncryption(api));
    return toDecryptedPage(workspace, input);
  },
});

/** @throws ApiError if the API does not exist, if the token may not read it, or if it has no keyspace */
function requireListedApi(call: AdmittedCall<ListKeysBody>): Api {
  const { demand, input, workspace } = call;
  const { apiId } = input;
  const api = workspace.apis.get(apiId);
  if (api?.keyspace === false) {
    // The service fails here. `keys.createKey` answers 412 in the same case.
    const detail = "The API has no keyspace, so it has no keys.";
    throw new ApiError("INTERNAL_SERVER_ERROR", detail, { hint: noKeyspace(api) });
  }
  // Without the permissions, the service answers as if there was no such API. They are demanded for an
  // unknown API too, because the hint must not reveal whether the API exists.
  demand([onApi(apiId, "read_key"), onApi(apiId, "read_api")], refusals.requestedApi);
  if (api === undefined) throw refuse(refusals.requestedApi, unknownApi(call, "read_api"));
  return api;
}

/** A page as JSON from the cache. Nearly all calls ask for no key values. */
function toJsonPage(workspace: Workspace, input: ListKeysBody, longest: number) {
  const format: KeyFormat = {
    name: "v2",
    longest,
    write: (key) =>
      toWireJson(toKeyRecord(workspace, key, { decrypt: false, isListed: true })) ?? "",
  };
  const page = writePage(workspace, selectionOf(workspace, input), format);
  if (page === undefined) return undefined;
  const { count, next, pieces } = page;
  return {
    data: new RawJson(["[", ...pieces, "]"], { keys: count }),
    pagination: toPagination(next),
  };
}

function toDecryptedPage(workspace: Workspace, input: ListKeysBody) {
  const { keys, ...end } = readPage(workspace, selectionOf(workspace, input));
  return {
    data: keys.map((key) => toKeyRecord(workspace, key, { decrypt: true, isListed: true })),
    pagination: toPagination(end.next),
  };
}

/**
 * The cursor names the first key of the page. It need not be the id of a key: the page begins with the
 * first id that is not smaller.
 */
function selectionOf(workspace: Workspace, input: ListKeysBody): Selection {
  const { cursor, limit } = input;
  const position = cursor === undefined ? undefined : { keyId: cursor, isInclusive: true };
  return { filter: filterOf(workspace, input), position, limit };
}
