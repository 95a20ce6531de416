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
import { filterOf, readPage, writePage, type PageEnd, type Selection } from "../key-page.ts";
import { defineOperation, type AdmittedCall } from "../operation.ts";
import { RawJson } from "../raw-json.ts";
import { describeApis, onApi } from "../require-api.ts";
import { toKeyRecord } from "./to-key-record.ts";

/** Without the permissions, the service answers as if there was no such API. */
const NOT_FOUND = {
  code: "NOT_FOUND",
  message: "The requested API does not exist or has been deleted.",
  type: "unkey/data/api_not_found",
} as const;

export const listKeys = defineOperation({
  contract,

  run(call) {
    const { demand, input, workspace } = call;
    const api = requireApi(call);
    if (!input.decrypt) return toJsonPage(workspace, input);
    demand([onApi(api.id, "decrypt_key")]);
    if (!api.storeEncryptedKeys) {
      const detail = "The requested API does not support key encryption.";
      throw new ApiError("PRECONDITION_FAILED", detail);
    }
    return toDecryptedPage(workspace, input);
  },
});

/** @throws ApiError for an API that does not exist, that the token may not read, or without a keyspace */
function requireApi({ demand, input, may, workspace }: AdmittedCall<ListKeysBody>): Api {
  const { apiId } = input;
  const api = workspace.apis.get(apiId);
  if (api === undefined) {
    const { code, message, type } = NOT_FOUND;
    // A token without the permission must not learn which APIs exist.
    const hint = may([onApi(apiId, "read_api")]) ? describeApis(workspace) : undefined;
    throw new ApiError(code, message, { type, hint });
  }
  if (!api.keyspace) {
    // The service fails here, where `keys.createKey` answers 412.
    const detail = "The API has no keyspace, so it has no keys.";
    throw new ApiError("INTERNAL_SERVER_ERROR", detail);
  }
  demand([onApi(apiId, "read_key"), onApi(apiId, "read_api")], NOT_FOUND);
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
