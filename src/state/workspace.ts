import { NO_QUIRKS, type Quirks } from "../api/quirks.ts";
import type { Clock } from "./time/clock.ts";
import { IdMaker, type IdState } from "./id-maker.ts";
import { HashedValue, readPrefixedKey } from "./keys/key-secret.ts";
import { CacheBudget, Pages } from "./keys/key-pages.ts";
import { Key } from "./keys/key.ts";
import { type KindName, kindNames, mapKinds } from "./records/kind-names.ts";
import { createSets, type Sets } from "./sets.ts";
import type { WorkspaceInit } from "./vocabulary.ts";
import type { Api } from "./records/apis.ts";
import { PublicWorkspace } from "./public/workspace.ts";
import { DAY, lastRefill, startOfDay } from "./time/refill.ts";
import { type CounterMembers, Counters, type CounterState } from "./limits/counters.ts";
import { KEYS, LISTS, StaleCache } from "./keys/stale-cache.ts";
import { UsageCounts } from "./usage/usage-counts.ts";
import { atOnce } from "../base/steps.ts";
import { type Usage, usageOf, type UsageQuery } from "./usage/usage.ts";

export interface WorkspaceDependencies {
  readonly clock: Clock;
  /** Workspaces with the same seed and id make the same ids and key values. */
  readonly seed: number;
  /** Must not be listed as a token, because operations refuse it. Default: none. */
  readonly controlToken?: string | undefined;
  readonly quirks?: Quirks | undefined;
  /** Limits the memory of cached pages. Default: a budget for only this workspace. */
  readonly cacheBudget?: CacheBudget | undefined;
  readonly onChange?: () => void;
  /** Called for a key that a test creates with a time in seconds. Default: such a key is no problem. */
  readonly warn?: ((message: string) => void) | undefined;
  /** The `IdMaker` of a workspace that exists already. Default: a new one. */
  readonly idsOf?: ((id: string) => IdMaker | undefined) | undefined;
}

type Tables = { readonly [Kind in KindName]: ReturnType<Sets[Kind]["state"]> };

/** The content of a workspace at one moment. It is immutable, and cheap to take and to restore. */
export interface WorkspaceState extends Tables {
  readonly id: string;
  readonly name: string | undefined;
  readonly enabled: boolean;
  readonly ids: IdState;
  readonly counters: CounterState;
  readonly refilledUntil: number;
  readonly listed: Listed;
  readonly deletedApis: ReadonlyMap<string, Api>;
}

/**
 * Roles, permissions and identities from fixtures, which generated keys use. Snapshots do not count, because
 * they list everything, and neither does the default fixture.
 */
export interface Listed {
  readonly roles: readonly string[];
  readonly permissions: readonly string[];
  readonly identities: readonly string[];
  /** How many orders were made for each API, by its id. */
  readonly orders: ReadonlyMap<string, number>;
}

/** Which keys a key replaces and is replaced by. */
interface Rotation {
  readonly replaces?: string | undefined;
  readonly replacedBy?: string | undefined;
}

const MAX_DELETED = 100;

// oxlint-disable no-unsafe-declaration-merging -- the constructor assigns the sets all together
/** Gives the class a member for each set of records: `keys`, `apis` and so on. */
export interface Workspace extends Sets {}

/** All state of one workspace. Workspaces are independent; the token of a request selects one. */
export class Workspace {
  readonly id: string;
  readonly ids: IdMaker;
  readonly clock: Clock;
  readonly quirks: Quirks;
  /** Cached pages of keys, for the quirk `stale-list`. */
  readonly staleLists: StaleCache<unknown>;
  /** Keys by their values, for the quirk `cached-verifications`. */
  readonly cachedKeys: StaleCache<Key | undefined>;
  /** The workspace as tests and users' operations see it. */
  readonly public: PublicWorkspace;
  readonly counters: Counters;
  /** How often keys were verified. It is in no state and in no snapshot. */
  readonly usage = new UsageCounts();
  /**
   * Which key replaced which, by their ids. The service never shows it, so no operation reads it. It is in no
   * state and in no snapshot.
   */
  readonly rotations = new Map<string, Rotation>();
  /** In no snapshot. */
  listed: Listed = { roles: [], permissions: [], identities: [], orders: new Map() };
  /** The latest APIs that clients deleted, by id. They are in no snapshot. */
  deletedApis: ReadonlyMap<string, Api> = new Map();
  /** The last 00:00 UTC at which keys were refilled, in unix milliseconds. */
  #refilledUntil: number;
  readonly #hasOwnIds: boolean;
  readonly #onChange: () => void;
  name: string | undefined;
  /** Whether its tokens may call operations. If false, they are refused with `FORBIDDEN`. */
  enabled: boolean;

  constructor(init: WorkspaceInit, dependencies: WorkspaceDependencies) {
    const { clock, onChange = () => {}, quirks = NO_QUIRKS, seed } = dependencies;
    this.id = init.id;
    this.#onChange = onChange;
    this.name = init.name;
    this.enabled = init.enabled ?? true;
    this.clock = clock;
    this.#refilledUntil = startOfDay(clock.now());
    this.quirks = quirks;
    this.staleLists = new StaleCache(clock, LISTS);
    this.cachedKeys = new StaleCache(clock, KEYS);
    const shared = dependencies.idsOf?.(init.id);
    const ids = shared ?? new IdMaker(seed, `/${init.id}`, quirks);
    this.#hasOwnIds = shared === undefined;
    this.ids = ids;
    this.counters = new Counters(onChange);
    const sets = createSets({
      clock,
      ids,
      controlToken: dependencies.controlToken,
      pages: new Pages(dependencies.cacheBudget ?? new CacheBudget()),
      warn: dependencies.warn,
      onChange,
      onChangeOfOwners: ({ deleted }) => {
        if (deleted !== undefined) this.#forgetUses(deleted);
        onChange();
      },
    });
    Object.assign(this, sets);
    this.public = new PublicWorkspace(this);
  }

  /** Forgets the uses of deleted keys or identities, because a test may create others with the same ids. */
  #forgetUses(deleted: readonly { readonly id: string }[]): void {
    const ids = new Set(deleted.map(({ id }) => id));
    this.counters.forget(ids);
    this.usage.forget(ids);
    for (const id of ids) this.rotations.delete(id);
  }

  enable(isEnabled: boolean): void {
    this.enabled = isEnabled;
    this.#onChange();
  }

  isSecret(text: string): boolean {
    if (this.tokens.get(text) !== undefined) return true;
    if (this.keys.findBySecret(text) !== undefined) return true;
    // If a key was migrated with its prefix, only the hash of the last part is known.
    const prefixed = this.migrations.size === 0 ? undefined : readPrefixedKey(text);
    if (prefixed === undefined) return false;
    return this.keys.findBySecret(new HashedValue(prefixed.hash)) !== undefined;
  }

  state(): WorkspaceState {
    return {
      id: this.id,
      name: this.name,
      enabled: this.enabled,
      ids: this.ids.state,
      ...(mapKinds((kind) => this[kind].state()) as Tables),
      counters: this.counters.state(),
      refilledUntil: this.#refilledUntil,
      listed: this.listed,
      deletedApis: this.deletedApis,
    };
  }

  /** Deletes an API. The service remembers that it existed. */
  deleteApi(api: Api): void {
    this.apis.remove(api);
    const latest = [...this.deletedApis].slice(1 - MAX_DELETED);
    this.deletedApis = new Map([...latest, [api.id, api]]);
  }

  /** @throws UsageError for an invalid query, and for an API, a key or an owner that does not exist */
  usageOf(query: UsageQuery): Usage {
    return atOnce(usageOf(this, query));
  }

  /**
   * Refills the keys that have been due since the last call, as the service does every day at 00:00 UTC. If
   * several refills of a key were due, only the last one is made. After the clock was set back, the same days
   * pass again, but no key is refilled twice for one day.
   */
  refill(now: number): void {
    const before = this.#refilledUntil;
    if (before <= now && now < before + DAY) return;
    this.#refilledUntil = startOfDay(now);
    if (now < before) return;
    this.keys.writeAll((key) => {
      if (key.refill === undefined || key.remaining === undefined) return undefined;
      const { amount, lastRefillAt = 0 } = key.refill;
      const due = lastRefill(key.refill, Math.max(before, key.createdAt, lastRefillAt), now);
      if (due === undefined || key.remaining >= amount) return undefined;
      const refill = { ...key.refill, lastRefillAt: due };
      return Key.next(key, { remaining: amount, refill, updatedAt: due });
    });
  }

  /** Continues from the counters and refills of a snapshot, in a workspace that has none. */
  resumeCounters({
    counters = [],
    refilledUntil = this.#refilledUntil,
  }: {
    readonly counters?: readonly CounterMembers[] | undefined;
    readonly refilledUntil?: number | undefined;
  }): void {
    this.counters.addAll(counters);
    this.#refilledUntil = startOfDay(refilledUntil);
  }

  /** Replaces the whole content. The sets of records stay the same objects. */
  replace(state: WorkspaceState): void {
    this.name = state.name;
    this.enabled = state.enabled;
    if (this.#hasOwnIds) this.ids.resume(state.ids);
    this.counters.replace(state.counters);
    this.#refilledUntil = state.refilledUntil;
    this.listed = state.listed;
    this.deletedApis = state.deletedApis;
    for (const name of kindNames) this[name].replace(state[name] as never);
  }

  /** Drops everything that depends on the replaced content, and makes pending updates fail. */
  endAll(): void {
    this.rotations.clear();
    this.usage.forgetUnless((id) => this.keys.get(id) !== undefined);
    this.staleLists.clear();
    this.cachedKeys.clear();
    for (const name of kindNames) this[name].endUpdates();
  }
}
