import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { WorkspaceState } from "../../control/route-schemas.ts";
import type { Client } from "./client.ts";
import type { Place } from "./place.ts";
import { mayCall, type Action } from "./rights.ts";
import { useRoute } from "./use-route.ts";
import type { PageClock, World } from "./use-world.ts";

/** The context of every view. */
export interface OfPage {
  readonly client: Client;
  readonly place: Place;
  readonly world: World & { readonly workspace: WorkspaceState; readonly clock: PageClock };
  /** The emulator's time (unix milliseconds). */
  readonly now: number;
  /** The bodies of calls that were edited and not sent. */
  readonly drafts: Map<string, string>;
}

export const PageContext = createContext<OfPage | undefined>(undefined);

/** @throws TypeError outside of the page */
export function usePage(): OfPage {
  const page = useContext(PageContext);
  if (page === undefined) throw new TypeError("expected a view of the page");
  return page;
}

/** The answer of a control route, read again when a record or `moment` has changed or a call was made. */
export function useLive<Answer>(route: string | undefined, moment?: number) {
  const { client, world } = usePage();
  // While the clock stands still, a verification may change no record.
  const revision = `${world.revision} ${world.requests.at(-1)?.requestId} ${moment}`;
  return useRoute<Answer>(client, route, revision);
}

/** Whether the token may call an operation. The page offers no other operations. */
export function useRights(): (operation: Action, apiId: string | undefined) => boolean {
  const { permissions } = usePage().world.workspace;
  return (operation, apiId) => mayCall(permissions, operation, apiId);
}
