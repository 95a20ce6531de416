import { type Complete, Key, type KeyInit, plainOf } from "../state/keys/key.ts";
import { hashOf } from "../state/keys/key-secret.ts";
import { type KindName, mapKinds } from "../state/records/kind-names.ts";
import type { RecordOf } from "../state/kinds.ts";
import type { Api } from "../state/records/apis.ts";
import { DEFAULT_RATELIMIT, type NamedRatelimit } from "../state/limits/ratelimits.ts";
import type { CounterMembers, CounterState } from "../state/limits/counters.ts";
import { defaultDeleted, type StoreState } from "../state/store.ts";
import type { WorkspaceState } from "../state/workspace.ts";
import type { Fixture } from "./format.ts";
import { isRecord, unlessEmpty } from "../base/json.ts";
import type { Steps } from "../base/steps.ts";

/**
 * A state as a fixture. An emulator that is created with it gives the same answers to the same requests
 * at the same times. The fixture is frozen.
 * @throws UsageError if the default workspace was deleted
 */
export function toFixture(state: StoreState): Fixture {
  return materialise(describeStore(state)) as Fixture;
}

/** The same as JSON text, in lazy pieces, because a large state does not fit into one string. */
export function toSnapshotText(
  state: StoreState,
  first: Readonly<Record<string, unknown>>,
): Iterable<string> {
  return toJsonText({ ...first, ...describeStore(state) });
}

/** Members of a fixture. All lists, at every depth, are lazy iterables. */
type LazyFixture = Readonly<Record<string, unknown>>;

function describeStore({ defaultId, ids, workspaces }: StoreState): LazyFixture {
  const first = workspaces.find(({ id }) => id === defaultId);
  if (first === undefined) throw defaultDeleted(defaultId);
  const others = workspaces.filter((state) => state !== first);
  return {
    ...describeWorkspace(first, ids.sequences),
    workspaces: describeEach(others, (state) => describeWorkspace(state)),
  };
}

/** @param requestIds the sequence of the store, which is written with the first workspace */
function describeWorkspace(
  state: WorkspaceState,
  requestIds: StoreState["ids"]["sequences"] = {},
): LazyFixture {
  const { enabled, id, name } = state;
  const apis = new Set(Array.from(state.apis, (api) => api.id));
  return {
    workspace: withoutUnset({ id, name, enabled: enabled ? undefined : false }),
    ...mapKinds((kind) =>
      describeEach<object>(
        state[kind],
        (describers[kind] ?? ((record) => ({ ...record }))) as (record: object) => object,
      ),
    ),
    // Keys of a deleted API are left out, because no request can reach them.
    keys: describeEach(state.keys, (key) => (apis.has(key.apiId) ? describeKey(key) : undefined)),
    snapshot: describeState(state, requestIds),
  };
}

function* describeEach<Item>(
  items: Iterable<Item>,
  describeItem: (item: Item) => object | undefined,
): Generator<object> {
  for (const item of items) {
    const described = describeItem(item);
    if (described !== undefined) yield withoutUnset(described);
  }
}

/** Removes the members that are not set, for readability. */
function withoutUnset<Members extends object>(members: Members): Members {
  for (const name of Object.keys(members) as (keyof Members)[]) {
    if (members[name] === undefined) delete members[name];
  }
  return members;
}

/** Turns lazy lists into frozen arrays. Empty lists are left out. */
function materialise(described: LazyFixture): object {
  const members = Object.entries(described).flatMap(([name, value]) => {
    if (!isList(value)) {
      const isState = name === "snapshot";
      return [[name, isState ? materialise(value as LazyFixture) : Object.freeze(value)] as const];
    }
    const items = Array.from(value, (item) =>
      name === "workspaces" ? materialise(item as LazyFixture) : Object.freeze(item),
    );
    return items.length === 0 ? [] : [[name, Object.freeze(items)] as const];
  });
  return Object.freeze(Object.fromEntries(members));
}

function describeState(
  { counters, ids, refilledUntil }: WorkspaceState,
  requestIds: StoreState["ids"]["sequences"],
): LazyFixture {
  const { keyValues, seed, sequences } = ids;
  return {
    refilledUntil,
    counters: describeCounters(counters),
    randomSeed: seed,
    keyValues,
    ids: Object.freeze({ ...sequences, ...requestIds }),
  };
}

function* describeCounters({ byOwner }: CounterState): Generator<CounterMembers> {
  for (const counters of byOwner.values()) {
    for (const { current, duration, name, ownerId, previous, window } of counters.values()) {
      yield { ownerId, name, duration, window, current, previous };
    }
  }
}

/** How the records of some kinds are written: without defaults. Others are written as they are. */
const describers: { readonly [Kind in KindName]?: (record: RecordOf<Kind>) => object } = {
  tokens: (token) => ({ ...token, enabled: token.enabled ? undefined : false }),
  apis: describeApi,
  permissions: (permission) => ({
    ...permission,
    slug: permission.slug === permission.name ? undefined : permission.slug,
  }),
  identities: (identity) => ({
    ...identity,
    meta: unlessEmpty(identity.meta),
    ratelimits: unlessEmpty(describeAll(identity.ratelimits)),
  }),
  ratelimitNamespaces: (namespace) => ({
    ...namespace,
    deleted: namespace.deleted || undefined,
    overrides: unlessEmpty([...namespace.overrides]),
  }),
};

function describeApi(api: Api) {
  const { id, name, defaultPrefix, defaultByteLength, storeEncryptedKeys, keyspace } = api;
  const { deleteProtection, keyspaceId } = api;
  return {
    id,
    name,
    defaultPrefix,
    defaultByteLength,
    storeEncryptedKeys: storeEncryptedKeys || undefined,
    // Even a derived id, because the snapshot may be restored with another random seed.
    keyspaceId,
    keyspace: keyspace ? undefined : false,
    deleteProtection: deleteProtection || undefined,
  };
}

/** Members of a key that a snapshot never has: other spellings, and members for a new value. */
type OtherMembers = "byteLength" | "credits" | "ownerId" | "prefix";

function describeKey(key: Key): Complete<Omit<KeyInit, OtherMembers>> {
  const { plaintext } = key;
  // The name stands beside the id, where a person looks for it.
  const { name, ...plain } = plainOf(key);
  const secret = Key.secretOf(key);
  return {
    id: key.id,
    apiId: key.apiId,
    start: key.start,
    key: plaintext,
    hash: plaintext === undefined && secret !== undefined ? hashOf(secret) : undefined,
    migrationId: key.migrationId,
    recoverable: plaintext === undefined ? undefined : true,
    name,
    externalId: key.ownerId,
    // Even of a deleted identity. Without the id, a restored key would be linked with the next identity
    // of this external id as soon as it is rerolled.
    identityId: key.identityId,
    meta: key.meta,
    createdAt: key.createdAt,
    updatedAt: key.updatedAt,
    lastUsedAt: key.lastUsedAt,
    expires: key.expires,
    remaining: key.remaining,
    refill: key.refill,
    ...describeRatelimits(key.ratelimits),
    roles: unlessEmpty(key.roles as string[]),
    permissions: unlessEmpty(key.permissions as string[]),
    enabled: key.enabled ? undefined : false,
    ...plain,
    history: Key.historyOf(key),
  };
}

/**
 * A rate limit that v1 can create is written in the spelling of v1. Like the service, a fixture accepts
 * a window under a second only as `refillInterval`.
 */
function describeRatelimits(
  ratelimits: readonly NamedRatelimit[],
): Complete<Pick<KeyInit, "ratelimit" | "ratelimits">> {
  const [first] = ratelimits;
  if (first === undefined) return { ratelimit: undefined, ratelimits: undefined };
  const { async, autoApply, duration, limit, name } = first;
  const isOfV1 = name === DEFAULT_RATELIMIT && autoApply && async !== undefined;
  if (ratelimits.length > 1 || !isOfV1) {
    return { ratelimit: undefined, ratelimits: describeAll(ratelimits) };
  }
  const window = duration < 1000 ? { refillInterval: duration } : { duration };
  return { ratelimit: { async, limit, ...window }, ratelimits: undefined };
}

function describeAll(ratelimits: readonly NamedRatelimit[]): NamedRatelimit[] {
  return ratelimits.map((ratelimit) => withoutUnset({ ...ratelimit }));
}

/**
 * A fixture as JSON in pieces, because a large one does not fit into a string. Each member and each
 * item of a list is on a separate line, for readable diffs. Empty lists are left out.
 */
export function* toJsonText(fixture: object): Generator<string> {
  yield* toMembersText(fixture, "\n");
  yield "\n";
}

function isList(value: unknown): value is Iterable<object> {
  return typeof value === "object" && value !== null && Symbol.iterator in value;
}

/** @param line the line break and indentation of the closing bracket; empty to write only one line */
function* toMembersText(value: object, line: string): Generator<string> {
  const [indented, colon] = line === "" ? ["", ":"] : [`${line}  `, ": "];
  let before = `{${indented}`;
  let isEmpty = true;
  for (const [name, member] of Object.entries(value) as [string, unknown][]) {
    let start = before + JSON.stringify(name) + colon;
    for (const piece of isList(member) ? toListText(member, indented) : toItemText(member)) {
      yield start + piece;
      start = "";
    }
    if (start !== "") continue;
    before = `,${indented}`;
    isEmpty = false;
  }
  yield isEmpty ? "{}" : `${line}}`;
}

function* toListText(items: Iterable<object>, line: string): Generator<string> {
  const indented = line === "" ? "" : `${line}  `;
  let before = `[${indented}`;
  let isEmpty = true;
  for (const item of items) {
    for (const piece of toItemText(item)) {
      yield before + piece;
      before = "";
    }
    before = `,${indented}`;
    isEmpty = false;
  }
  if (!isEmpty) yield `${line}]`;
}

function toItemText(item: unknown): Iterable<string> {
  const isLazy =
    isRecord(item) && Object.values(item).some((value) => isList(value) && !Array.isArray(value));
  if (isLazy) return toMembersText(item, "");
  return item === undefined ? [] : [JSON.stringify(item)];
}

/** Small, because a megabyte of JSON takes about 10 ms. */
const BATCH_BYTES = 100_000;

/** Joins the pieces in batches, each in one step, and encodes them as UTF-8. */
export function* toBytes(pieces: Iterable<string>): Steps<readonly Uint8Array[]> {
  const batches: Uint8Array[] = [];
  for (const batch of toBatches(pieces, new Uint8Array(BATCH_BYTES))) {
    batches.push(batch.slice());
    yield;
  }
  return batches;
}

/**
 * Encodes the pieces as UTF-8 in batches, lazily.
 * @param space the buffer of all batches: each batch is a view that is valid until the next one
 */
export function* toBatches(pieces: Iterable<string>, space: Uint8Array): Generator<Uint8Array> {
  const encoder = new TextEncoder();
  let length = 0;
  for (const piece of pieces) {
    for (let rest = piece; rest !== "";) {
      const { read, written } = encoder.encodeInto(rest, space.subarray(length));
      length += written;
      rest = rest.slice(read);
      // The buffer is full, or too short for the next character.
      if (rest === "") break;
      yield space.subarray(0, length);
      length = 0;
    }
  }
  if (length > 0) yield space.subarray(0, length);
}
