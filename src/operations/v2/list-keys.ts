import { ApiError } from "../../contract/errors.ts";
import {
  listKeys as contract,
  type ListKeysBody,
  type ListKeysPagination,
} from "../../contract/v2/list-keys.ts";
import { toWireJson } from "../../contract/v2/json.ts";
import type { KeyFormat } from "../../store/json/pages.ts";
import type { Api } from "../../store/records.ts";
import type { Workspace } from "../../store/workspace.ts";
import { noEncryption, noKeyspace, unknownApi } from "../hints.ts";
import { filterOf, readPage, writePage, type PageEnd, type Selection } from "../key-page.ts";
import { defineOperation, type AdmittedCall } from "../operation.ts";
import { RawJson } from "../raw-json.ts";
import { onApi } from "../require-api.ts";
import { refusals, refuse } from "./refusals.ts";
import { toKeyRecord } from "./to-key-record.ts";

export const listKeys = defineOperation({
  contract,

  run(call) {
    const { demand, input, workspace } = call;
    const api = requireApi(call);
    if (!input.decrypt) return toJsonPage(workspace, input);
    demand([onApi(api.id, "decrypt_key")]);
    if (!api.storeEncryptedKeys) throw refuse(refusals.noEncryptionOfList, noEncryption(api));
    return toDecryptedPage(workspace, input);
  },
});

/** @throws ApiError for an API that does not exist, that the token may not read, or without a keyspace */
function requireApi(call: AdmittedCall<ListKeysBody>): Api {
  const { demand, input, workspace } = call;
  const { apiId } = input;
  const api = workspace.apis.get(apiId);
  if (api?.keyspace === false) {
    // The service fails here, where `keys.createKey` answers 412.
    const detail = "The API has no keyspace, so it has no keys.";
    throw new ApiError("INTERNAL_SERVER_ERROR", detail, { hint: noKeyspace(api) });
  }
  // Without the permissions, the service answers as if there was no such API. They are demanded for an
  // unknown API too: its hint must not differ from that of an existing one.
  demand([onApi(apiId, "read_key"), onApi(apiId, "read_api")], refusals.requestedApi);
  if (api === undefined) throw refuse(refusals.requestedApi, unknownApi(call, "read_api"));
  return api;
}

/** A page without key values, which nearly all calls ask for, as JSON from the cache. */
function toJsonPage(workspace: Workspace, input: ListKeysBody) {
  const format: KeyFormat = {
    name: "v2",
    write: (key) => toWireJson(toKeyRecord(workspace, key, { decrypt: false })) ?? "",
  };
  const page = writePage(workspace, selectionOf(workspace, input), format, "[");
  page.pieces.push("]");
  return {
    data: new RawJson(page.pieces, { keys: page.count }),
    pagination: toPagination(page),
  };
}

function toDecryptedPage(workspace: Workspace, input: ListKeysBody) {
  const { keys, ...end } = readPage(workspace, selectionOf(workspace, input));
  return {
    data: keys.map((key) => toKeyRecord(workspace, key, { decrypt: true })),
    pagination: toPagination(end),
  };
}

/** The cursor names the first key of the page, and any text is a position. */
function selectionOf(workspace: Workspace, input: ListKeysBody): Selection {
  const { cursor, limit } = input;
  const position = cursor === undefined ? undefined : { keyId: cursor, isInclusive: true };
  return { filter: filterOf(workspace, input), position, limit };
}

/** Never null: the public client refuses that, and goes on for ever with a cursor on the last page. */
function toPagination({ next }: PageEnd): ListKeysPagination {
  return next === undefined ? { hasMore: false } : { cursor: next.id, hasMore: true };
}
