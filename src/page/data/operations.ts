import type { IdentityState, KeyState } from "../../control/record-kinds.ts";
import type { WorkspaceState } from "../../control/route-schemas.ts";
import type { RatelimitNamespace } from "../../state/records/namespaces.ts";
import type { Permission } from "../../state/records/permissions.ts";
import type { Role } from "../../state/records/roles.ts";
import { useMemo } from "preact/hooks";
import { isRecord } from "../../base/json.ts";
import type { Client } from "./client.ts";
import { usePage } from "./page-context.ts";
import { useRoute } from "./use-route.ts";

/** An operation that is served, as the OpenAPI document of v2 describes it. */
export interface Operation {
  readonly name: string;
  readonly path: string;
  readonly method: string;
  readonly summary: string;
  /** The members that a call has to have, and whether the body is a list. */
  readonly required: readonly string[];
  readonly isList: boolean;
}

type Members = Readonly<Record<string, unknown>>;

/** All operations of v2, including users' operations, in the order of the document. */
export function useOperations() {
  const { answer, lines } = useRoute<Members>(usePage().client, "/operations.json", undefined);
  const operations = useMemo(() => answer && operationsIn(answer), [answer]);
  return { lines, operations };
}

function operationsIn(document: Members): readonly Operation[] {
  const at = (value: unknown, ...names: readonly string[]): unknown =>
    names.reduce<unknown>((found, name) => (isRecord(found) ? found[name] : undefined), value);
  const resolved = (schema: unknown): unknown => {
    const reference = at(schema, "$ref");
    return typeof reference === "string" ? at(document, ...reference.split("/").slice(1)) : schema;
  };
  return Object.entries((document["paths"] ?? {}) as Members).flatMap(([path, methods]) =>
    Object.entries(methods as Members).map(([method, operation]) => {
      const body = at(operation, "requestBody", "content", "application/json", "schema");
      const schema = resolved(body);
      const isList = at(schema, "type") === "array";
      const item = isList ? resolved(at(schema, "items")) : schema;
      return {
        name: String(at(operation, "operationId")),
        path,
        method: method.toUpperCase(),
        summary: String(at(operation, "summary")),
        required: (at(item, "required") ?? []) as readonly string[],
        isList,
      };
    }),
  );
}

/** Further members of an example, in addition to the required ones. */
const further: Readonly<Record<string, readonly string[]>> = {
  "keys.createKey": ["name", "externalId", "credits"],
  "keys.updateKey": ["name"],
  "keys.updateCredits": ["value"],
  "apis.listKeys": ["limit"],
  "permissions.createRole": ["permissions"],
  "permissions.setRolePermissions": ["role"],
  "identities.updateIdentity": ["meta"],
};

/** Members of examples that differ from `readSample`, by operation. */
const special: Readonly<Record<string, Members>> = {
  "apis.createApi": { name: "Orders" },
  "apis.listKeys": { limit: 10 },
  "identities.createIdentity": { externalId: "org_new" },
  "permissions.createRole": { name: "exporter" },
  "permissions.createPermission": { name: "Read exports", slug: "exports.read" },
};

/** The record that an operation needs and that is missing here, and the operation that creates it. */
export function lackOf({ required }: Operation, apis: WorkspaceState["apis"]) {
  const isWithoutKeys = apis.every(({ keys }) => keys === 0);
  if (required.includes("apiId") && apis.length === 0) return ["API", "apis.createApi"] as const;
  const isOfKey = required.includes("key") || required.includes("keyId");
  return isOfKey && isWithoutKeys ? (["key", "keys.createKey"] as const) : undefined;
}

/** The body of a call that works in this world. */
export function exampleOf({ isList, name, required }: Operation, sample: Members): unknown {
  const names = new Set([...required, ...(further[name] ?? [])]);
  const values = { ...sample, ...special[name] } as Members;
  const members = Object.fromEntries([...names].map((each) => [each, values[each] ?? ""]));
  return isList ? [members] : members;
}

/**
 * Values of this world for the members of bodies, by their names.
 * @param chosen the API and the key to take, if they are known
 */
export async function readSample(
  client: Client,
  chosen: { readonly apiId: string | undefined; readonly keyId: string | undefined },
): Promise<Members> {
  // Records that cannot be read are left out.
  const read = async <Item>(route: string, name: string): Promise<readonly Item[]> => {
    const reply = client.control<Readonly<Record<string, readonly Item[]>>>(`GET ${route}`);
    return (await reply.catch(() => undefined))?.[name] ?? [];
  };
  const { apiId, keyId } = chosen;
  const ofApi = apiId === undefined ? "" : `&${new URLSearchParams({ apiId })}`;
  const [keys, [role], [permission], [identity], [migration], namespaces] = await Promise.all([
    read<KeyState>(`/keys?sort=-createdAt&limit=100${ofApi}`, "keys"),
    read<Role>("/roles?limit=1", "roles"),
    read<Permission>("/permissions?limit=1", "permissions"),
    read<IdentityState>("/identities?limit=1", "identities"),
    read<{ readonly id: string }>("/migrations?limit=1", "migrations"),
    read<RatelimitNamespace>("/ratelimitNamespaces?limit=100", "ratelimitNamespaces"),
  ]);
  const namespace = namespaces.find(({ deleted }) => !deleted);
  const isWanted = ({ id }: KeyState) => keyId === undefined || id === keyId;
  const readable = keys.find((key) => key.recoverable === true && isWanted(key))?.id;
  const value =
    client.madeValue(keyId) ??
    (readable && (await client.valueOf(readable).catch(() => undefined)));
  const slug = permission?.slug ?? "exports.read";
  return {
    apiId: apiId ?? keys[0]?.apiId ?? "",
    keyId: keyId ?? keys[0]?.id ?? "",
    key: value ?? "<the value of a key>",
    name: "Nightly export",
    externalId: identity?.externalId ?? "org_new",
    identity: identity?.externalId ?? "org_new",
    meta: { plan: "pro" },
    credits: { remaining: 1_000 },
    operation: "increment",
    value: 100,
    expiration: 3_600_000,
    role: role?.name ?? "reader",
    roles: [role?.name ?? "reader"],
    permission: slug,
    permissions: [slug],
    slug,
    namespace: namespace?.name ?? "email",
    identifier: namespace?.overrides[0]?.identifier ?? "user_1",
    limit: 10,
    duration: 60_000,
    migrationId: migration?.id ?? "<an id that the service gives you>",
    keys: [{ hash: "mCjaY8o73Ro0EBNN8uHmTkmqBmHqXBfCdPfqKZ6AAPE=", name: "Moved here" }],
  };
}
