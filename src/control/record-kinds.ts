import * as z from "zod/mini";
import { described, docs, flag, id, objectOf, optional } from "../schema/fields.ts";
import { keyMembers } from "../store/key.ts";
import { ratelimitNamespaceInit } from "../store/limits/namespaces.ts";
import { migrationInit } from "../store/migration.ts";
import { apiInit, identityInit, permissionInit, roleInit } from "../store/records.ts";
import type { Workspace } from "../store/workspace.ts";

/** A record, as its own members. */
export type AnyRecord = { readonly id: string } & Readonly<Record<string, unknown>>;

/** The records of one kind. */
interface Records {
  readonly size: number;
  get(id: string): object | undefined;
  from(id: string): Iterable<object>;
}

/** A kind of records that control routes list. */
export interface RecordKind {
  /** The name in paths and in the body of a list. */
  readonly name: string;
  readonly noun: string;
  /** A record as it is shown. */
  readonly schema: z.ZodMiniObject;
  /** The members that `search` looks at. */
  readonly searched: readonly string[];
  /** What `search` looks at besides, in words. */
  readonly searchedToo?: string;
  /** The text of a record that `searchedToo` names. */
  furtherText?(record: AnyRecord, workspace: Workspace): string;
  /** The members that `sort` takes; the first is the default. */
  readonly sorted: readonly [string, ...string[]];
  recordsOf(workspace: Workspace): Records;
}

/** A key, as routes show it. */
export const keyState = shown(
  "KeyState",
  "A key, without its value.",
  z.extend(z.omit(keyMembers(), { plaintext: true }), {
    recoverable: optional(flag(), "Whether its value is kept, so that `keys.getKey` can show it."),
  }),
);
export type KeyState = z.output<typeof keyState>;
/** An identity, as routes show it. */
export const identityRecord = shown("IdentityRecord", "An identity.", identityInit());
export type IdentityState = z.output<typeof identityRecord>;

/** Every kind. Its routes and their descriptions follow from its line here. */
export const recordKinds: readonly RecordKind[] = [
  {
    name: "keys",
    noun: "key",
    schema: keyState,
    searched: ["id", "start", "name", "ownerId"],
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
    recordsOf: ({ keys }) => keys,
  },
  {
    name: "apis",
    noun: "API",
    schema: shown("ApiRecord", "An API.", apiInit()),
    searched: ["id", "name"],
    sorted: ["id", "name"],
    recordsOf: ({ apis }) => apis,
  },
  {
    name: "identities",
    noun: "identity",
    schema: identityRecord,
    searched: ["id", "externalId"],
    sorted: ["id", "externalId"],
    recordsOf: ({ identities }) => identities,
  },
  {
    name: "roles",
    noun: "role",
    schema: shown("RoleRecord", "A role.", roleInit()),
    searched: ["id", "name"],
    sorted: ["id", "name"],
    recordsOf: ({ roles }) => roles,
  },
  {
    name: "permissions",
    noun: "permission",
    schema: shown("PermissionRecord", "A permission.", permissionInit()),
    searched: ["id", "name", "slug"],
    sorted: ["id", "name", "slug"],
    recordsOf: ({ permissions }) => permissions,
  },
  {
    name: "ratelimitNamespaces",
    noun: "namespace",
    schema: shown(
      "NamespaceRecord",
      "A namespace of rate limits, with its overrides.",
      ratelimitNamespaceInit(),
    ),
    searched: ["id", "name"],
    sorted: ["id", "name"],
    recordsOf: ({ ratelimitNamespaces }) => ratelimitNamespaces,
  },
  {
    name: "migrations",
    noun: "migration",
    schema: shown("MigrationRecord", "A move of keys from another system.", migrationInit()),
    searched: ["id"],
    sorted: ["id"],
    recordsOf: ({ migrations }) => migrations,
  },
];

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

/** A record without the value of a recoverable key. */
export function toShown(record: object): AnyRecord {
  const { plaintext, ...members } = record as AnyRecord & { readonly plaintext?: unknown };
  return plaintext === undefined ? members : { ...members, recoverable: true };
}
