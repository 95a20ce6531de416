import * as z from "zod/mini";
import { described, docs, flag, id, objectOf, optional } from "../schema/fields.ts";
import { keyMembers } from "../state/key.ts";
import { ratelimitNamespaceInit } from "../state/limits/namespaces.ts";
import { migrationInit } from "../state/migration.ts";
import { apiInit, identityInit, permissionInit, roleInit } from "../state/records.ts";
import type { Workspace } from "../state/workspace.ts";

export type AnyRecord = { readonly id: string } & Readonly<Record<string, unknown>>;

interface Records {
  readonly size: number;
  get(id: string): object | undefined;
  from(id: string): Iterable<object>;
}

export interface RecordKind {
  /** The name in paths and in the body of a list. */
  readonly name: string;
  readonly noun: string;
  readonly schema: z.ZodMiniObject;
  readonly searched: readonly string[];
  readonly searchedToo?: string;
  /** The text of a record that `searchedToo` names. */
  furtherText?(record: AnyRecord, workspace: Workspace): string;
  /** The members that `sort` takes; the first is the default. */
  readonly sorted: readonly [string, ...string[]];
  recordsOf(workspace: Workspace): Records;
}

export const keyState = shown(
  "KeyState",
  "A key, without its value.",
  z.extend(z.omit(keyMembers(), { plaintext: true }), {
    recoverable: optional(flag(), "Whether its value is kept, so that `keys.getKey` can show it."),
  }),
);
export type KeyState = z.output<typeof keyState>;
export const identityRecord = shown("IdentityRecord", "An identity.", identityInit());
export type IdentityState = z.output<typeof identityRecord>;

/** Every kind. Its routes and their descriptions follow from its entry here. */
export const recordKinds: readonly RecordKind[] = [
  {
    ...kind("keys", "key", keyState, ["id", "start", "name", "ownerId"]),
    searchedToo: "the `name` in the `meta` of its identity",
    furtherText: ({ identityId }, { identities }) => {
      const name = identities.get(identityId)?.meta["name"];
      return typeof name === "string" ? name : "";
    },
    sorted: [
      "id",
      "name",
      "ownerId",
      "createdAt",
      "updatedAt",
      "lastUsedAt",
      "expires",
      "remaining",
    ],
  },
  kind("apis", "API", shown("ApiRecord", "An API.", apiInit()), ["id", "name"]),
  kind("identities", "identity", identityRecord, ["id", "externalId"]),
  kind("roles", "role", shown("RoleRecord", "A role.", roleInit()), ["id", "name"]),
  kind("permissions", "permission", shown("PermissionRecord", "A permission.", permissionInit()), [
    "id",
    "name",
    "slug",
  ]),
  kind(
    "ratelimitNamespaces",
    "namespace",
    shown(
      "NamespaceRecord",
      "A namespace of rate limits, with its overrides.",
      ratelimitNamespaceInit(),
    ),
    ["id", "name"],
  ),
  kind(
    "migrations",
    "migration",
    shown("MigrationRecord", "A move of keys from another system.", migrationInit()),
    ["id"],
  ),
];

/** A kind of which these members are searched, and are those by which it can be sorted. */
function kind(
  name:
    | "apis"
    | "identities"
    | "keys"
    | "migrations"
    | "permissions"
    | "ratelimitNamespaces"
    | "roles",
  noun: string,
  schema: z.ZodMiniObject,
  searched: readonly [string, ...string[]],
): RecordKind {
  const recordsOf = (workspace: Workspace) => workspace[name];
  return { name, noun, schema, searched, sorted: searched, recordsOf };
}

/** The schema of a record that exists, which has an id. */
function shown<Shape extends z.core.$ZodShape>(
  name: string,
  description: string,
  members: z.ZodMiniObject<Shape>,
) {
  const own = { ...members.shape, id: described(id, "The id.") };
  return objectOf(own as Omit<Shape, "id"> & { readonly id: typeof id }).register(docs, {
    id: name,
    description,
  });
}

export function toShown(record: object): AnyRecord {
  const { plaintext, ...members } = record as AnyRecord & { readonly plaintext?: unknown };
  return plaintext === undefined ? members : { ...members, recoverable: true };
}
