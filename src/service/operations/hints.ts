import { quoted, wholeOrLength } from "../../base/wording/text.ts";
import type { RatelimitNamespace } from "../../state/records/namespaces.ts";
import type { KindName } from "../../state/records/kind-names.ts";
import { kinds } from "../../state/kinds.ts";
import type { Api } from "../../state/records/apis.ts";
import type { AdmittedCall } from "./operation.ts";
import type { Workspace } from "../../state/workspace.ts";

const SHOWN = 5;
const MAX_NAME = 60;

/** `the roles here are admin, guest`: the first records of a kind, for a hint about an unknown one. */
export function describeRecords(workspace: Workspace, kind: Exclude<KindName, "tokens">): string {
  const { named, plural } = kinds[kind];
  const names: string[] = [];
  for (const record of workspace[kind].values()) {
    if (names.length === SHOWN) break;
    const name = (record as unknown as Readonly<Record<string, string>>)[named] ?? "";
    names.push(wholeOrLength(name, MAX_NAME));
  }
  return describeNames(plural, names, workspace[kind].size);
}

export function describeOverrides({ name, overrides }: RatelimitNamespace): string {
  const of = wholeOrLength(name, MAX_NAME);
  if (overrides.length === 0) return `the namespace ${of} has no overrides`;
  const names = overrides
    .slice(0, SHOWN)
    .map(({ identifier }) => wholeOrLength(identifier, MAX_NAME));
  return describeNames(`overrides of ${of}`, names, overrides.length);
}

function describeNames(noun: string, names: readonly string[], count: number): string {
  if (count === 0) return `the workspace has no ${noun}; list some in a fixture`;
  const more = count > names.length ? `, and ${count - names.length} more` : "";
  return `the ${noun} here are ${names.join(", ")}${more}`;
}

/**
 * A hint about an API that does not exist. Undefined for a token without this permission for all APIs,
 * because it must not learn which APIs exist.
 */
export function unknownApi(
  { input, may, workspace }: AdmittedCall<{ readonly apiId: string }>,
  action: string,
): string | undefined {
  if (!may([{ oneOf: [`api.*.${action}`] }])) return undefined;
  return `there is no API ${quoted(input.apiId)}; ${describeRecords(workspace, "apis")}`;
}

export function describeKeys({ apis, keys }: Workspace): string {
  const ids: string[] = [];
  for (const { id: apiId } of apis.all()) {
    if (ids.length >= SHOWN) break;
    ids.push(...keys.page({ apiId }, undefined, SHOWN - ids.length).map(({ id }) => id));
  }
  return describeNames("keys", ids, keys.size);
}

export function noKeyspace({ id }: Pick<Api, "id">): string {
  return `a fixture or emulator.apis gives ${id} \`keyspace: false\``;
}

export function noEncryption({ id }: Pick<Api, "id">): string {
  return `${id} stores no values of keys; give it \`storeEncryptedKeys: true\` in a fixture`;
}
