import * as z from "zod/mini";
import { isRecord } from "../base/json.ts";
import * as f from "../schema/fields.ts";
import { type KindName, kindNames } from "../state/records/kind-names.ts";
import { kinds } from "../state/kinds.ts";
import type { Workspace } from "../state/workspace.ts";

export type AnyRecord = { readonly id: string } & Readonly<Record<string, unknown>>;

/** Tokens are secret, so no route lists them. */
type ShownKind = Exclude<KindName, "tokens">;

interface Records {
  readonly size: number;
  get(id: string): object | undefined;
  from(id: string): Iterable<object>;
}

export interface RecordKind {
  /** The name in paths and in the body of a list. */
  readonly name: ShownKind;
  readonly noun: string;
  readonly schema: z.ZodMiniObject;
  readonly searched: readonly string[];
  readonly searchedToo?: string;
  /** The text of a record that `searchedToo` names. */
  furtherText?(record: AnyRecord, workspace: Workspace): string;
  /** Values of `sort`: members and computed orders. The first is the default. */
  readonly sorted: readonly [string, ...string[]];
  /** The value that records are sorted by, for orders that are no member. */
  readonly computed?: Readonly<Record<string, (record: AnyRecord, now: number) => unknown>>;
  /** The meaning of the computed orders. */
  readonly aboutComputed?: string;
  recordsOf(workspace: Workspace): Records;
}

/** The members of a kind that only keys have. */
const ofKeys = {
  searchedToo: "the `name` in the `meta` of its identity",
  furtherText: ({ identityId }, { identities }) => nameIn(identities.get(identityId)?.meta),
  sorted: [
    "id",
    "name",
    "ownerId",
    "createdAt",
    "updatedAt",
    "lastUsedAt",
    "expires",
    "nextExpiry",
    "remaining",
  ],
  computed: { nextExpiry },
  aboutComputed:
    "`nextExpiry` begins with the key that expires next; keys that have expired follow, the latest first, and then keys without an expiry.",
} satisfies Partial<RecordKind>;

/** The members of a kind that only identities have. */
const ofIdentities = {
  searchedToo: "the `name` in its `meta`",
  furtherText: ({ meta }) => nameIn(meta),
  sorted: ["id", "externalId", "name"],
  computed: { name: ({ externalId, meta }) => (nameIn(meta) || String(externalId)).toLowerCase() },
  aboutComputed: "`name` is the `name` in the `meta`, else the external id, in any case.",
} satisfies Partial<RecordKind>;

/** Larger than any time. */
const LATEST = 8.64e15;

function nextExpiry({ expires }: AnyRecord, now: number): number | undefined {
  if (typeof expires !== "number") return undefined;
  // In the millisecond of `expires`, a key is still valid.
  return expires >= now ? expires : 2 * LATEST - expires;
}

/** The name of a customer, which people put into the `meta` of its identity. */
function nameIn(meta: unknown): string {
  const name = isRecord(meta) ? meta["name"] : undefined;
  return typeof name === "string" ? name : "";
}

export const keyState = recordOf(
  z.extend(z.omit(kinds.keys.schema(), { plaintext: true }), {
    recoverable: f.optional(
      f.flag(),
      "Whether its value is kept, so that `keys.getKey` can show it.",
    ),
    replaces: f.optional(f.id, "The id of the key that it replaced by `keys.rerollKey`."),
    replacedBy: f.optional(f.id, "The id of the key that replaced it."),
  }),
  { id: "KeyState", description: "A key, without its value." },
);
export type KeyState = z.output<typeof keyState>;
export const identityRecord = recordOf(kinds.identities.schema(), aboutOf("identities"));
export type IdentityState = z.output<typeof identityRecord>;

/** Every kind that has routes. Its routes and their descriptions follow from its entry in `kinds`. */
export const recordKinds: readonly RecordKind[] = kindNames.filter(isShown).map((name) => {
  const { noun, schema, searched } = kinds[name];
  const recordsOf = (workspace: Workspace) => workspace[name];
  const kind = { name, noun, searched, sorted: searched, recordsOf };
  if (name === "keys") return { ...kind, schema: keyState, ...ofKeys };
  if (name === "identities") return { ...kind, schema: identityRecord, ...ofIdentities };
  return { ...kind, schema: recordOf(schema() as z.ZodMiniObject, aboutOf(name)) };
});

function isShown(kind: KindName): kind is ShownKind {
  return kind !== "tokens";
}

/** The schema of a record that exists, which has an id. */
function recordOf<Shape extends z.core.$ZodShape>(
  members: z.ZodMiniObject<Shape>,
  about: { readonly id: string; readonly description: string },
) {
  const own = { ...members.shape, id: f.described(f.id, "The id.") };
  return f.described(f.objectOf(own as Omit<Shape, "id"> & { readonly id: typeof f.id }), about);
}

/** `ApiRecord`, and `An API.` */
function aboutOf(kind: ShownKind) {
  const { noun } = kinds[kind];
  const name = noun.charAt(0).toUpperCase() + noun.slice(1).toLowerCase();
  return { id: `${name}Record`, description: `${/^[aeiou]/i.test(noun) ? "An" : "A"} ${noun}.` };
}

/**
 * A record as the routes show it. A key is shown without its value, but with the keys that it replaced
 * and was replaced by.
 */
export function toShown(record: object, { rotations }: Workspace): AnyRecord {
  const { plaintext, ...members } = record as AnyRecord & { readonly plaintext?: unknown };
  const shown = { ...members, ...rotations.get(members.id) };
  return plaintext === undefined ? shown : { ...shown, recoverable: true };
}
