import { useContext, useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Usage } from "../../history/usage.ts";
import type { UsageQuery } from "../../history/usage-query.ts";
import { PageContext } from "./page-context.ts";
import { linesOf } from "./refused.ts";
import { atMostEvery } from "./use-world.ts";

interface Shown {
  /** The query that was answered. */
  readonly query: string;
  readonly usage: Usage | undefined;
  readonly lines: readonly string[];
}

const nothing: Shown = { query: "", usage: undefined, lines: [] };
/** The shortest time between two reads (ms), because the emulator looks at every key. */
const INTERVAL = 2_000;
/** After a long read, the emulator has time for other calls: so many times the time of the read. */
const REST = 3;

/** How often keys were verified. It is read again when something in the emulator has changed. */
export function useUsage(members: UsageQuery): Shown {
  const { client, revision } = useContext(PageContext);
  const [shown, setShown] = useState(nothing);
  const query = String(new URLSearchParams(Object.entries(members).map(toText)));
  const asked = useRef(query);
  asked.current = query;
  const read = useMemo(
    () =>
      atMostEvery(INTERVAL, async () => {
        const start = Date.now();
        const answer = await client?.control<Usage>(`GET /usage?${query}`).then(
          (usage) => ({ query, usage, lines: [] }),
          (error: unknown) => ({ query, usage: undefined, lines: linesOf(error) }),
        );
        if (answer !== undefined && asked.current === query) setShown(answer);
        await new Promise((resolve) => setTimeout(resolve, REST * (Date.now() - start)));
      }),
    [client, query],
  );
  useEffect(read, [read, revision]);
  return shown.query === query ? shown : nothing;
}

function toText([name, value]: readonly [string, unknown]): [string, string] {
  return [name, String(value)];
}
