import * as z from "zod/mini";
import { lazily } from "../base/lazily.ts";
import * as f from "../schema/fields.ts";
import { faultInit } from "../faults/fault-schema.ts";
import { lazyMembers, shapeFor, shapeOf } from "../schema/lazy-shape.ts";
import type { IdPrefix } from "../state/id-maker.ts";
import { keyInit } from "../state/keys/key.ts";
import { counter } from "../state/limits/counters.ts";
import { type KindName, mapKinds } from "../state/records/kind-names.ts";
import { kinds } from "../state/kinds.ts";
import { identityInit } from "../state/records/identities.ts";
import {
  MAX_NAMES,
  MAX_OBJECTS,
  roleOrPermissionName,
  timestamp,
  workspaceInit,
} from "../state/vocabulary.ts";

/** The worlds that a fixture can order by name; `profiles.ts` has their records. */
export const profileNames = ["paging"] as const;
export type ProfileName = (typeof profileNames)[number];

/** More keys would not fit into the default heap of Node. */
export const MAX_GENERATED_KEYS = 1_000_000;

const customer = lazily(() =>
  f.component("Customer", "An owner of generated keys.", {
    externalId: f.described(
      identityInit().shape.externalId,
      "The external id of the customer's identity, which is created if there is none.",
    ),
    name: f.optional(f.text({ min: 1, max: 256 }), "`name` in the `meta` of a new identity."),
  }),
);

const like = lazily(() =>
  f.described(
    z.pick(keyInit(), {
      prefix: true,
      byteLength: true,
      name: true,
      meta: true,
      roles: true,
      permissions: true,
      expires: true,
      remaining: true,
      refill: true,
      credits: true,
      ratelimit: true,
      ratelimits: true,
      enabled: true,
      recoverable: true,
      environment: true,
    }),
    { id: "Like", description: "Members that all keys of the entry have." },
  ),
);

/** Members that differ for each generated key, with what to write instead. */
const instead = new Map([
  ...[
    "id",
    "key",
    "hash",
    "start",
    "migrationId",
    "createdAt",
    "updatedAt",
    "lastUsedAt",
    "history",
  ].map(
    (name) => [name, "expected no such member, because each generated key has its own"] as const,
  ),
  ["apiId", "expected `apiId` beside `like` instead"],
  ...["externalId", "ownerId", "identityId"].map(
    (name) => [name, "expected `customers` beside `like` instead"] as const,
  ),
]);

/** The message for a member that `like` does not take. */
export function insteadOf(path: readonly PropertyKey[]): string | undefined {
  const [list, , member, name] = path.slice(path[0] === "workspaces" ? 2 : 0);
  const isOfLike = list === "generate" && member === "like";
  return isOfLike ? instead.get(String(name)) : undefined;
}

function share(description: string) {
  const error = "expected a fraction from 0 to 1";
  return z.optional(
    f.described(
      z.number({ error }).check(z.minimum(0, { error }), z.maximum(1, { error })),
      description,
    ),
  );
}

const shares = lazily(() =>
  f.component("Shares", "Fractions of the keys of the entry, from 0 to 1.", {
    expired: share("Keys that have expired. The others expire only as `like.expires` says."),
    disabled: share("Keys that are disabled. None of them has expired if `expired` is given too."),
    limited: share("Keys with rate limits: those of `like`, or else generated ones."),
  }),
);

/** @public For `scripts/hover-texts.js`. */
export const generateRequest = lazily(() =>
  f.component("Generate", "A request for generated keys.", {
    apiId: f.optional(
      f.id,
      "The API that gets the keys. Default: all APIs that can hold keys, in equal shares.",
    ),
    count: f.optional(
      f.integer({ min: 0, max: MAX_GENERATED_KEYS }),
      "How many keys. Required without `profile`.",
    ),
    profile: f.optional(
      f.choice(profileNames),
      "A complete world, in place of all other members. `paging`: APIs with 0, 1, 99, 100, 101, 200 and 250 keys, long names and other scripts, and an owner without keys.",
    ),
    customers: f.optional(
      f.listOf(customer(), "customers", { min: 1, max: MAX_OBJECTS }),
      "The owners of all keys of the entry. Default: the listed identities, or generated customers.",
    ),
    roles: f.optional(
      f.listOf(roleOrPermissionName(), "role names", { max: MAX_NAMES }),
      "Each key has one of these roles: that with the name of its customer's `meta.plan`, or any. Default: the listed roles, or generated ones.",
    ),
    like: z.optional(like()),
    shares: z.optional(shares()),
  }),
);
export type GenerateRequest = z.infer<ReturnType<typeof generateRequest>>;
export type CountedRequest = GenerateRequest & { readonly count: number };

export function isCounted(request: GenerateRequest): request is CountedRequest {
  return request.count !== undefined;
}

/** The same as a person writes it. */
export type GenerateInput = z.input<ReturnType<typeof generateRequest>>;

export const DEFAULT_WORKSPACE_ID = "ws_local";

function sequenceOf(prefix: IdPrefix) {
  const error = `expected an id that begins with ${prefix}_, and 16 base58 digits`;
  const pattern = new RegExp(`^${prefix}_[1-9A-HJ-NP-Za-km-z]{16}$`);
  const ids = f.objectOf({
    made: f.described(f.integer({ min: 0 }), "How many ids were generated."),
    last: f.optional(
      z.string({ error }).check(z.regex(pattern, { error })),
      "The greatest id so far.",
    ),
  });
  return f.described(ids, `The ids that begin with \`${prefix}_\`.`);
}

/** A fixture with this member is a snapshot. Its records with an id are added exactly as listed. */
const snapshotState = lazily(() =>
  f.component(
    "Snapshot",
    "Marks a snapshot, and says where ids and key values continue. The listed records are restored as they are.",
    {
      randomSeed: f.described(f.integer({ min: 0 }), "The random seed of ids and key values."),
      keyValues: f.described(f.integer({ min: 0 }), "How many key values were generated."),
      ids: f.described(
        f.objectOf({
          api: z.optional(sequenceOf("api")),
          key: z.optional(sequenceOf("key")),
          id: z.optional(sequenceOf("id")),
          role: z.optional(sequenceOf("role")),
          perm: z.optional(sequenceOf("perm")),
          rlns: z.optional(sequenceOf("rlns")),
          rlor: z.optional(sequenceOf("rlor")),
          req: f.optional(
            sequenceOf("req"),
            "The ids of requests, to all workspaces. Only the first has them.",
          ),
        }),
        "The position of each id sequence.",
      ),
      refilledUntil: z.optional(
        timestamp("The day up to which keys were refilled. Default: the day of the start."),
      ),
      counters: f.optional(f.listOf(counter(), "counters"), "The uses of rate limits."),
    },
  ),
);
export type SnapshotState = z.infer<ReturnType<typeof snapshotState>>;

type RecordLists = { readonly [Kind in KindName]: (typeof kinds)[Kind]["list"] };

const workspaceMembers = {
  ...lazyMembers({
    workspace: () =>
      f.described(
        z.partial(workspaceInit()),
        `The workspace of these records. Default: ${DEFAULT_WORKSPACE_ID}.`,
      ),
  }),
  ...lazyMembers(mapKinds((kind) => kinds[kind].list) as RecordLists),
  ...lazyMembers({
    generate: () =>
      f.described(
        f.listOf(generateRequest(), "objects with `count`"),
        "Keys to generate in addition to the listed ones.",
      ),
    snapshot: snapshotState,
  }),
};

const further = lazily(() =>
  f.component("Workspace", "A further workspace.", {
    ...shapeOf(workspaceMembers),
    workspace: f.described(workspaceInit(), "The workspace of these records."),
  }),
);

/** The members of a fixture. They have the names of the HTTP interface. */
const members = {
  ...lazyMembers({
    $schema: () => f.described(f.text(), "The path of the JSON Schema, for editors."),
  }),
  ...workspaceMembers,
  ...lazyMembers({
    faults: () =>
      f.described(
        f.listOf(faultInit(), "faults"),
        "Faults to apply to the calls of every workspace.",
      ),
    workspaces: () =>
      f.described(
        f.listOf(further(), "workspaces"),
        "Further workspaces. The token of a request selects its workspace.",
      ),
  }),
};

/** A member for the author of a fixture, for example with YAML anchors. It is ignored. */
export const EXTENSION = /^x-/;

export const fixture = lazily(() =>
  f.described(f.objectOf(shapeOf(members)), {
    id: "Fixture",
    description: "The records and faults that an emulator starts with.",
    patternProperties: { [EXTENSION.source]: {} },
  }),
);

export type FixtureMembers = z.output<ReturnType<typeof fixture>>;

/** A schema that reads one fixture, and is made of few others if the fixture has few members. */
export function fixtureFor(input: unknown): ReturnType<typeof fixture> {
  return f.objectOf(shapeFor(members, input));
}

/** The schema of the items of the list at a path of a fixture. */
export function itemSchema(path: readonly PropertyKey[]): z.ZodMiniType {
  const name = path.at(-1) as keyof typeof members | "counters";
  const list = name === "counters" ? snapshotState().shape.counters : members[name]();
  return (f.unwrap(list) as z.ZodMiniArray<z.ZodMiniType>).def.element;
}

/** The content of a fixture file as an object. latchkey never changes this object. */
export type Fixture = f.Immutable<z.input<ReturnType<typeof fixture>>>;
