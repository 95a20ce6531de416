import type { ServedContract } from "../contract/operation.ts";
import type { Steps } from "../base/steps.ts";
import { stateOf, type ApplySettings } from "../seeding/fixtures/state-of-plan.ts";
import type { Part } from "../seeding/fixtures/part.ts";
import { planAddition, type FindHolder, type Plan } from "../seeding/fixtures/plan.ts";
import type { Store, StoreState } from "../store/store.ts";
import { UsageError } from "../usage-error.ts";
import { caughtUp } from "./catch-up.ts";

interface AdditionSettings extends Omit<ApplySettings, "idsOf"> {
  readonly contracts: readonly ServedContract[];
  /** Throws to prevent the addition. */
  readonly check: (plan: Plan, before: StoreState) => void;
}

/** How often an addition begins anew, because requests took what it needs. */
const ATTEMPTS = 5;

const CONFLICT =
  "seed: expected nothing else to delete or create the same records meanwhile, but requests did so again and again; send the fixture again";

/**
 * Makes the current state of a store with a fixture added, and returns it with the faults to add. It
 * does not change the store. Requests may change records between two steps; then the same changes are
 * made to the new state.
 * @throws UsageError if the fixture does not fit the current state
 */
export function* addition(
  store: Store,
  parts: readonly Part[],
  settings: AdditionSettings,
): Steps<{ readonly state: StoreState; readonly faults: Plan["faults"] }> {
  // Looked up in the store, because a state would index all values for each plan.
  const holderOf: FindHolder = (id, key) => store.workspaces.get(id)?.keys.holderOf(key);
  // The ids of the store itself, so that no request gets the same.
  const idsOf = (id: string) => store.workspaces.get(id)?.ids;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    if (parts.some(({ keys }) => keys.some(({ hash }) => hash !== undefined))) {
      for (const { keys } of store.workspaces.all()) yield* keys.hashInSteps();
    }
    const before = store.state();
    const plan = yield* planAddition(before, parts, settings.contracts, holderOf);
    settings.check(plan, before);
    const made = yield* stateOf(plan, { ...settings, idsOf }, before);
    const state = yield* caughtUp(made, before, store);
    if (state !== undefined) return { state, faults: plan.faults };
  }
  throw new UsageError(CONFLICT);
}
