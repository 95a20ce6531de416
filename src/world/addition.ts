import type { ServedContract } from "../api/operation.ts";
import type { Steps } from "../base/steps.ts";
import { type ApplySettings, stateOf } from "../seed/state.ts";
import type { CheckedFixtures, Part } from "../seed/part.ts";
import { checkAddition, type FindHolder } from "../seed/check.ts";
import type { Store, StoreState } from "../state/store.ts";
import { UsageError } from "../base/usage-error.ts";
import type { Table } from "../state/tables/table.ts";
import { type KindName, kindNames } from "../state/records/kind-names.ts";
import type { WorkspaceState } from "../state/workspace.ts";

interface AdditionSettings extends Omit<ApplySettings, "idsOf"> {
  readonly contracts: readonly ServedContract[];
  /** Throws to prevent the addition. */
  readonly check: (fixtures: CheckedFixtures, before: StoreState) => void;
}

/** How often an addition starts over because requests took the ids or names that it needs. */
const ATTEMPTS = 5;

const CONFLICT =
  "seed: other requests kept deleting or creating the same records; send the fixture again";

/**
 * Makes the current state of a store with a fixture added, and returns it with the checked fixture. It
 * does not change the store. Requests may change records between two steps; the last step makes the
 * same changes to the new state.
 * @throws UsageError if the fixture does not fit the current state
 */
export function* addition(
  store: Store,
  parts: readonly Part[],
  settings: AdditionSettings,
): Steps<{ readonly state: StoreState; readonly fixtures: CheckedFixtures }> {
  // Looked up in the store, because a state would index all values again for each attempt.
  const holderOf: FindHolder = (id, key) => store.workspaces.get(id)?.keys.holderOf(key);
  // The ids of the store itself, so that no request gets the same.
  const idsOf = (id: string) => store.workspaces.get(id)?.ids;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    if (parts.some(({ keys }) => keys.some(({ hash }) => hash !== undefined))) {
      for (const { keys } of store.workspaces.all) yield* keys.hashInSteps();
    }
    const before = store.state();
    const fixtures = yield* checkAddition(before, parts, settings.contracts, holderOf);
    settings.check(fixtures, before);
    const made = yield* stateOf(fixtures, { ...settings, idsOf }, before);
    const state = caughtUp(made, before, store.state());
    if (state !== undefined) return { state, fixtures };
  }
  throw new UsageError(CONFLICT);
}

type AnyTable = Table<{ readonly id: string }>;

/**
 * A state that was made from `before`, with the changes that requests have made since. Undefined if a
 * change does not fit the state.
 */
function caughtUp(
  made: StoreState,
  before: StoreState,
  current: StoreState,
): StoreState | undefined {
  const changes = changesBetween(before, current);
  if (changes === undefined) return undefined;
  let state = withCountersOf(current, made);
  for (const change of changes) {
    const table = state.workspaces.find(({ id }) => id === change.id)?.[change.kind];
    const next = table && changed(table.fork() as unknown as AnyTable, change);
    if (next === undefined) return undefined;
    state = withTable(state, change, next);
  }
  return state;
}

interface Change {
  readonly id: string;
  readonly kind: KindName;
  readonly removed: readonly { readonly id: string }[];
  readonly added: readonly { readonly id: string }[];
}

/** The tables that changed; undefined if workspaces were created, deleted, enabled or disabled. */
function changesBetween(before: StoreState, current: StoreState): Change[] | undefined {
  const former = new Map(before.workspaces.map((state) => [state.id, state]));
  const isSame = ({ enabled, id }: WorkspaceState) => former.get(id)?.enabled === enabled;
  if (current.workspaces.length !== former.size || !current.workspaces.every(isSame)) {
    return undefined;
  }
  return current.workspaces.flatMap((state) =>
    kindNames.flatMap((kind) => {
      const [then, now] = [former.get(state.id), state].map((each) => each?.[kind]) as unknown[];
      const { added, removed } = (now as AnyTable).changesSince(then as AnyTable);
      return added.length + removed.length === 0 ? [] : [{ id: state.id, kind, added, removed }];
    }),
  );
}

/** The table after a change; undefined if the change does not fit. */
function changed(table: AnyTable, { added, kind, removed }: Change): AnyTable | undefined {
  const next = new Map(added.map((record) => [idOf(record), record]));
  for (const record of removed) {
    const after = next.get(idOf(record));
    next.delete(idOf(record));
    if (after !== undefined) {
      if (table.uniqueMembers.some((member) => after[member] !== record[member])) return undefined;
      table.replace(record, after);
    } else if (isNamed.has(kind)) return undefined;
    else table.remove(record);
  }
  for (const record of next.values()) {
    if (table.uniqueMembers.some((member) => table.find(member, record[member]) !== undefined)) {
      return undefined;
    }
    table.add(record);
  }
  return table;
}

/** Kinds that other records refer to: if such a record is deleted, the new state may still refer to it. */
const isNamed = new Set<KindName>(["apis", "permissions", "roles"]);

/** Tokens have no id. */
function idOf(record: { readonly id?: string; readonly token?: string }): string | undefined {
  return record.id ?? record.token;
}

function withTable(state: StoreState, { id, kind }: Change, table: AnyTable): StoreState {
  const workspaces = state.workspaces.map((each) =>
    each.id === id ? { ...each, [kind]: table } : each,
  );
  return { ...state, workspaces };
}

/** What requests change besides records: ids, counters of rate limits, and times of refills. */
function withCountersOf(current: StoreState, next: StoreState): StoreState {
  const states = new Map(current.workspaces.map((state) => [state.id, state]));
  return {
    ...next,
    ids: current.ids,
    workspaces: next.workspaces.map((state) => {
      const { counters, ids, refilledUntil } = states.get(state.id) ?? state;
      return { ...state, counters, ids, refilledUntil };
    }),
  };
}
