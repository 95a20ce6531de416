import { quoteMasked } from "../base/wording/quote-masked.ts";
import type { Api } from "../store/records.ts";
import type { AdmittedCall } from "./operation.ts";
import type { Workspace } from "../store/workspace.ts";

type Caller = Pick<AdmittedCall<{ readonly apiId: string }>, "input" | "may" | "workspace">;

/** How many names a hint lists. */
const SHOWN = 5;

/**
 * `the roles here are admin, guest`: existing names, for a hint about an unknown one.
 * @param noun in the plural
 * @param count how many there are, if `names` are only the first ones
 */
export function describeNames(
  noun: string,
  names: readonly string[],
  count = names.length,
): string {
  if (count === 0) return `the workspace has no ${noun}; list some in a fixture`;
  const shown = names.slice(0, SHOWN);
  const more = count > shown.length ? `, and ${count - shown.length} more` : "";
  return `the ${noun} here are ${shown.join(", ")}${more}`;
}

/** A hint that names the APIs of a workspace. */
export function describeApis({ apis }: Workspace): string {
  const ids = apis.all().map(({ id }) => id);
  return describeNames("APIs", ids);
}

/**
 * A hint about an API that does not exist. Undefined for a token without this permission for all APIs,
 * because it must not learn which APIs exist.
 */
export function unknownApi(call: Caller, action: string): string | undefined {
  const { input, may, workspace } = call;
  if (!may([{ oneOf: [`api.*.${action}`] }])) return undefined;
  return `there is no API ${quoteId(input.apiId)}; ${describeApis(workspace)}`;
}

/** A hint that names the first keys of a workspace. */
export function describeKeys({ apis, keys }: Workspace): string {
  const ids: string[] = [];
  for (const { id: apiId } of apis.all()) {
    if (ids.length >= SHOWN) break;
    ids.push(...keys.page({ apiId }, undefined, SHOWN).map(({ id }) => id));
  }
  return describeNames("keys", ids, keys.size);
}

/** The hint for an API without a keyspace. */
export function noKeyspace({ id }: Pick<Api, "id">): string {
  return `a fixture or emulator.apis gives ${id} \`keyspace: false\``;
}

/** The hint for an API that stores no key values. */
export function noEncryption({ id }: Pick<Api, "id">): string {
  return `${id} stores no values of keys; give it \`storeEncryptedKeys: true\` in a fixture`;
}

/** Key values and most tokens contain so many such characters in a row; API ids do not. */
const SECRET_RUN = /[A-Za-z0-9~+=]{20,}/g;

/** Quotes an id for a message, and masks it if it looks like a secret sent as the id. */
export function quoteId(id: string): string {
  return quoteMasked(id, SECRET_RUN);
}
