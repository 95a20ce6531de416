import { nextSeed, withSeed } from "../state/id-maker.ts";
import { AccessToken, type AccessTokenInit } from "../state/records/tokens.ts";
import type { StoreState } from "../state/store.ts";
import { SmallTable } from "../state/tables/table.ts";

/** The state of a world that a reset brings back, and the random seeds of resets with fresh ids. */
export class InitialState {
  #state: StoreState;
  /** When the state became the initial one, in real time (unix ms). */
  #since = Date.now();
  /**
   * The next reset with fresh ids derives its seed from this one. It is the seed of the last reset with
   * fresh ids, or of the initial state, mixed with the seeds of snapshots and other fixtures.
   */
  #lastSeed: number;
  /** Whether a reset has asked for fresh ids. */
  hadFreshIds = false;

  constructor(state: StoreState) {
    this.#state = state;
    this.#lastSeed = state.ids.seed;
  }

  get state(): StoreState {
    return this.#state;
  }

  set state(state: StoreState) {
    this.noteSeed(state.ids.seed);
    this.#state = state;
    this.#since = Date.now();
  }

  /** What a reset brings back for a workspace, and since when that has been so. */
  describe(workspaceId: string): { readonly keys: number; readonly since: number } {
    const found = this.#state.workspaces.find(({ id }) => id === workspaceId);
    return { keys: found?.keys.size ?? 0, since: this.#since };
  }

  /** The initial state, but new records get ids and key values that the world has never made. */
  takeFreshIds(before: StoreState): StoreState {
    this.#lastSeed = nextSeed(this.#lastSeed);
    this.hadFreshIds = true;
    return withFreshIds(this.#state, this.#lastSeed, before);
  }

  /** Ensures that no later reset with fresh ids makes this seed. */
  noteSeed(seed: number): void {
    if (seed !== this.#state.ids.seed) this.#lastSeed = nextSeed(this.#lastSeed, seed);
  }

  /** A state with only the default workspace, which lists no token except the given one. */
  forToken(token: AccessTokenInit | undefined): StoreState {
    const { defaultId, ids, workspaces } = this.#state;
    const tokens = new SmallTable<AccessToken>(["token"]);
    if (token !== undefined) tokens.add(new AccessToken(token));
    const defaults = workspaces.filter(({ id }) => id === defaultId);
    return { defaultId, ids, workspaces: defaults.map((state) => ({ ...state, tokens })) };
  }

  /** Whether a workspace lists this token or, without an argument, any token. */
  lists(token?: string): boolean {
    return this.#state.workspaces.some(({ tokens }) =>
      token === undefined ? tokens.size > 0 : tokens.find("token", token) !== undefined,
    );
  }

  /** The approximate number of records of the default workspace. */
  get size(): number {
    const { defaultId, workspaces } = this.#state;
    const state = workspaces.find(({ id }) => id === defaultId);
    if (state === undefined) return 1;
    return 1 + state.keys.size + state.identities.size + state.ratelimitNamespaces.size;
  }
}

/**
 * The state `start`, but with another seed for new ids and key values. New ids are greater than those
 * of `start` and `before`.
 */
function withFreshIds(start: StoreState, seed: number, before: StoreState): StoreState {
  const idsBefore = new Map(before.workspaces.map(({ id, ids }) => [id, ids]));
  return {
    ...start,
    ids: withSeed(start.ids, seed, before.ids),
    workspaces: start.workspaces.map((workspace) => ({
      ...workspace,
      ids: withSeed(workspace.ids, seed, idsBefore.get(workspace.id)),
    })),
  };
}
