import type { ServedContract } from "../contract/operation.ts";
import { atOnce, type Steps } from "../base/steps.ts";
import { stateOf, type ApplySettings } from "../seeding/fixtures/state-of-plan.ts";
import type { Part } from "../seeding/fixtures/part.ts";
import { planAddition, type FindHolder, type Plan } from "../seeding/fixtures/plan.ts";
import type { Store, StoreState } from "../store/store.ts";

interface AdditionSettings extends ApplySettings {
  readonly contracts: readonly ServedContract[];
  /** Throws to prevent the addition. */
  readonly check: (plan: Plan, before: StoreState) => void;
}

/** How often an addition is tried, if requests change records meanwhile. */
const ATTEMPTS = 2;

/**
 * Makes the current state of a store with a fixture added, and returns it with the faults to add. It
 * does not change the store.
 * @throws UsageError if the fixture does not fit the current state
 */
export function* addition(
  store: Store,
  parts: readonly Part[],
  settings: AdditionSettings,
): Steps<{ readonly state: StoreState; readonly faults: Plan["faults"] }> {
  // Looked up in the store, because a state would index all values for each plan.
  const holderOf: FindHolder = (id, key) => store.workspaces.get(id)?.keys.holderOf(key);
  for (let attempt = 1; ; attempt += 1) {
    const { revision } = store;
    const before = store.state();
    // Requests may change records between two steps. The last attempt makes all steps at once.
    const isLast = attempt === ATTEMPTS;
    const planning = planAddition(before, parts, settings.contracts, holderOf);
    const plan = isLast ? atOnce(planning) : yield* planning;
    settings.check(plan, before);
    const making = stateOf(plan, settings, before);
    const next = isLast ? atOnce(making) : yield* making;
    if (store.revision !== revision) continue;
    return { state: withCountersOf(store.state(), next), faults: plan.faults };
  }
}

/**
 * The state `next` with the request ids, rate limit counters and refill times of `current`. Requests
 * change these without a change of a record, so they may have changed while `next` was made.
 */
function withCountersOf(current: StoreState, next: StoreState): StoreState {
  const states = new Map(current.workspaces.map((state) => [state.id, state]));
  return {
    ...next,
    ids: current.ids,
    workspaces: next.workspaces.map((state) => {
      const { counters, refilledUntil } = states.get(state.id) ?? state;
      return { ...state, counters, refilledUntil };
    }),
  };
}
