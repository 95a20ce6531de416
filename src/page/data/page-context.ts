import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Client } from "./client.ts";
import { mayCall, type Action } from "./rights.ts";
import type { PageClock } from "./use-world.ts";

interface OfPage {
  /** Undefined outside of the page. */
  readonly client: Client | undefined;
  /** Another one when a record has changed or a call was made. */
  readonly revision: string;
  /** Undefined until it is known. */
  readonly clock: PageClock | undefined;
  /** What the token may do; undefined if that is not known. */
  readonly permissions: readonly string[] | undefined;
}

/** What a component deep in the page needs to read more from the emulator. */
export const PageContext = createContext<OfPage>({
  client: undefined,
  revision: "",
  clock: undefined,
  permissions: undefined,
});

/** Tells whether the token may call an operation, so that only such operations are offered. */
export function useRights(): (operation: Action, id?: string) => boolean {
  const { permissions } = useContext(PageContext);
  return (operation, id) => mayCall(permissions, operation, id);
}
