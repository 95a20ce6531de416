import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Client } from "./client.ts";
import { linesOf } from "./refused.ts";
import { atMostEvery } from "./use-world.ts";

export interface Read<Answer> {
  /** Undefined before the first answer and after a refusal. The previous answer stays until then. */
  readonly answer: Answer | undefined;
  /** Why it could not be loaded. */
  readonly lines: readonly string[];
}

/** After a long read, the emulator has time for other calls: this many times the time of the read. */
const REST = 3;

/**
 * What a control route answers.
 * @param route its path with its query, like `/keys?limit=25`; undefined to read nothing
 * @param revision the route is read again when it changes
 */
export function useRoute<Answer>(
  client: Client,
  route: string | undefined,
  revision: unknown,
): Read<Answer> & { readonly isLoading: boolean } {
  const [{ of, ...read }, setRead] = useState<Read<Answer> & { readonly of: string | undefined }>({
    answer: undefined,
    lines: [],
    of: undefined,
  });
  const asked = useRef(route);
  asked.current = route;
  const look = useMemo(
    () =>
      atMostEvery(0, async () => {
        const start = Date.now();
        if (route === undefined) return;
        const found = await client.control<Answer>(`GET ${route}`).then(
          (answer) => ({ answer, lines: [] }),
          (error: unknown) => ({ answer: undefined, lines: linesOf(error) }),
        );
        if (asked.current === route) setRead({ ...found, of: route });
        await new Promise((resolve) => setTimeout(resolve, REST * (Date.now() - start)));
      }),
    [client, route],
  );
  useEffect(look, [look, revision]);
  return { ...read, isLoading: of !== route };
}
