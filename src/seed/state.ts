import { eachInSteps, type Steps } from "../base/steps.ts";
import type { Clock } from "../state/time/clock.ts";
import type { KeyInit } from "../state/keys/key.ts";
import { type KindName, kindNames } from "../state/records/kind-names.ts";
import type { RecordSet } from "../state/records/record-set.ts";
import { isExistingKey } from "../state/keys/to-key.ts";
import { Identity } from "../state/records/identities.ts";
import { Permission, slugOf } from "../state/records/permissions.ts";
import { Role } from "../state/records/roles.ts";
import type { Identified } from "../state/vocabulary.ts";
import { Store, type StoreState } from "../state/store.ts";
import type { Workspace, WorkspaceDependencies } from "../state/workspace.ts";
import { isCounted, type CountedRequest } from "./format.ts";
import { timesInSeconds } from "./likely-mistakes.ts";
import { byWorkspace, type CheckedFixtures, isPlain, type Part } from "./part.ts";

/** Kinds whose records in a snapshot are added before new ones. */
const divided: readonly KindName[] = ["permissions", "roles", "identities", "keys"];

/** Adds generated keys. It is a parameter, so that faker is loaded only for fixtures that need it. */
export type Generate = (workspace: Workspace, requests: readonly CountedRequest[]) => Steps<void>;

export interface ApplySettings {
  /** The time of creation of records without one. */
  readonly clock: Clock;
  readonly generate: Generate;
  /** The seed of ids and key values. Not used for an addition to a state. */
  readonly seed: number;
  /** The ids of a workspace that exists. Default: they continue as in the state. */
  readonly idsOf?: WorkspaceDependencies["idsOf"];
  readonly warn?: WorkspaceDependencies["warn"];
}

export function wantsGeneratedKeys(parts: readonly Part[]): boolean {
  return parts.some(({ generate }) => generate.some(isCounted));
}

/**
 * Builds the state that fixtures describe.
 * @param before the state to which they are added. Default: none
 */
export function* stateOf(
  fixtures: CheckedFixtures,
  settings: ApplySettings,
  before?: StoreState,
): Steps<StoreState> {
  const { clock, idsOf, seed, warn } = settings;
  const store = new Store(fixtures.defaultId, { clock, seed, idsOf });
  if (before !== undefined) store.replace(before);
  for (const part of fixtures.parts) {
    for (const line of timesInSeconds(part, clock.now())) warn?.(line);
  }
  for (const [id, parts] of byWorkspace(fixtures)) {
    const [name] = parts.flatMap((part) => part.workspace.name ?? []);
    const [enabled] = parts.flatMap((part) => part.workspace.enabled ?? []);
    const [snapshot] = parts.flatMap((part) => part.snapshot ?? []);
    const workspace = store.workspaces.get(id) ?? store.workspaces.add({ id, name, enabled });
    if (enabled !== undefined) workspace.enabled = enabled;
    if (snapshot !== undefined) {
      const { req, ...sequences } = snapshot.ids;
      // All workspaces share the sequence of request ids, which the first one of a snapshot has.
      if (req !== undefined) store.ids.resume({ seed, keyValues: 0, sequences: { req } });
      workspace.ids.resume({ seed, keyValues: snapshot.keyValues, sequences });
      workspace.resumeCounters(snapshot);
    }
    yield* fill(workspace, parts, settings);
  }
  return store.state();
}

function* fill(
  workspace: Workspace,
  parts: readonly Part[],
  { generate }: ApplySettings,
): Steps<void> {
  const { identities, ids, keys, permissions, roles } = workspace;
  for (const kind of kindNames) {
    if (divided.includes(kind)) continue;
    const records = workspace[kind] as Pick<RecordSet<object, object>, "addListed">;
    records.addListed(withIdFirst(parts.flatMap((part): readonly object[] => part[kind])));
  }
  const listed = {
    permissions: divide(parts, (part) => part.permissions, hasId),
    roles: divide(parts, (part) => part.roles, hasId),
    identities: divide(parts, (part) => part.identities, hasId),
    keys: divide(parts, (part) => part.keys, isExistingKey),
  };
  yield;
  yield* permissions.addInSteps(
    mapped(listed.permissions.existing, (each) => new Permission(each)),
  );
  yield* roles.addInSteps(mapped(listed.roles.existing, (each) => new Role(each)));
  yield* identities.addInSteps(mapped(listed.identities.existing, (each) => new Identity(each)));
  yield;
  // The snapshot may have been edited by hand, and its sequences may not know all ids.
  yield* eachInSteps(listed.permissions.existing, ({ id }) => ids.observe("perm", id));
  yield* eachInSteps(listed.roles.existing, ({ id }) => ids.observe("role", id));
  yield* eachInSteps(listed.identities.existing, ({ id }) => ids.observe("id", id));
  yield* eachInSteps(listed.keys.existing, ({ id }) => ids.observe("key", id));

  // Permissions with only a name come last, because they may be listed twice.
  const { added } = listed.permissions;
  const inOrder = added.toSorted((a, b) => Number(isPlain(a)) - Number(isPlain(b)));
  for (const permission of withIdFirst(inOrder)) {
    if (permissions.named(slugOf(permission)) === undefined) permissions.add(permission);
  }
  for (const role of withIdFirst(listed.roles.added)) roles.add(role);
  permissions.ensureAll(listed.roles.existing.flatMap((role) => role.permissions ?? []));
  yield* keys.addExisting(listed.keys.existing);
  yield;
  yield* eachInSteps(withIdFirst(listed.identities.added), (each) => identities.add(each));
  const newKeys = withIdFirst(listed.keys.added.toSorted(byCreation));
  yield* eachInSteps(newKeys, (key) => keys.issue(key, "v1"));
  // Noted only after all keys are added, so that the ids generated above depend on the time of creation
  // alone. Later ids are greater than all of these.
  for (const { id } of newKeys) if (id !== undefined) ids.observe("key", id);
  noteListed(workspace, parts);
  const requests = parts.flatMap((part) => part.generate).filter(isCounted);
  if (requests.length > 0) yield* generate(workspace, requests);
}

export function* mapped<Item, Made>(
  items: Iterable<Item>,
  make: (item: Item) => Made,
): Generator<Made> {
  for (const item of items) yield make(item);
}

/** Stores the roles, permissions and identities that fixtures list, for generated keys. */
function noteListed(workspace: Workspace, parts: readonly Part[]): void {
  const { identities, orders, permissions, roles } = workspace.listed;
  const own = parts.filter(({ isUnlisted, snapshot }) => !isUnlisted && snapshot === undefined);
  workspace.listed = {
    roles: [...roles, ...own.flatMap((part) => part.roles.map(({ name }) => name))],
    permissions: [...permissions, ...own.flatMap((part) => part.permissions.map(slugOf))],
    identities: [
      ...identities,
      ...own.flatMap((part) => part.identities.map(({ externalId }) => externalId)),
    ],
    orders,
  };
}

/**
 * Divides the items of a list into existing ones, which a snapshot lists and which are added unchanged,
 * and new ones. Incomplete items of a snapshot were added by hand and count as new.
 */
function divide<Item, Existing extends Item>(
  parts: readonly Part[],
  listOf: (part: Part) => readonly Item[],
  isComplete: (item: Item) => item is Existing,
): { readonly existing: readonly Existing[]; readonly added: readonly Item[] } {
  const existing: Existing[] = [];
  const added: Item[] = [];
  for (const part of parts) {
    for (const item of listOf(part)) {
      if (part.snapshot !== undefined && isComplete(item)) existing.push(item);
      else added.push(item);
    }
  }
  return { existing, added };
}

function hasId<Init extends { readonly id?: string | undefined }>(
  init: Init,
): init is Identified<Init> {
  return init.id !== undefined;
}

/** Puts the records with an id first, so that no generated id is the same. */
function withIdFirst<Init extends { readonly id?: string | undefined }>(
  inits: readonly Init[],
): readonly Init[] {
  return inits.toSorted((a, b) => Number(!a.id) - Number(!b.id));
}

/** Oldest first, because ids are generated in this order. A key without a time is created now. */
function byCreation(a: KeyInit, b: KeyInit): number {
  const [first, second] = [a.createdAt ?? Infinity, b.createdAt ?? Infinity];
  return first === second ? 0 : first - second;
}
