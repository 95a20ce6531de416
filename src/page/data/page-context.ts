import { createContext } from "preact";
import type { Client } from "./client.ts";

interface OfPage {
  /** Undefined outside of the page. */
  readonly client: Client | undefined;
  /** Another one when a record has changed or a call was made. */
  readonly revision: string;
}

/** What a component deep in the page needs to read more from the emulator. */
export const PageContext = createContext<OfPage>({ client: undefined, revision: "" });
