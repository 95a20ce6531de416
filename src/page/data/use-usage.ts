import { useContext } from "preact/hooks";
import type { Usage, UsageQuery } from "../../state/history/usage.ts";
import { PageContext } from "./page-context.ts";
import { useRoute } from "./use-route.ts";

interface Shown {
  /** Undefined until it is loaded. */
  readonly usage: Usage | undefined;
  readonly lines: readonly string[];
}

/** How often keys were verified. It is read again when something in the emulator has changed. */
export function useUsage(members: UsageQuery): Shown {
  const { client, revision } = useContext(PageContext);
  const query = new URLSearchParams(Object.entries(members).map(toText));
  const { answer, isLoading, lines } = useRoute<Usage>(client, `/usage?${query}`, revision);
  return { usage: isLoading ? undefined : answer, lines: isLoading ? [] : lines };
}

function toText([name, value]: readonly [string, unknown]): [string, string] {
  return [name, String(value)];
}
