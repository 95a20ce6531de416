import { useEffect, useState } from "preact/hooks";
import type { Client } from "./client.ts";
import { isAborted, linesOf } from "./refused.ts";

interface Read<Answer> {
  /** Undefined until it is loaded, and after a refusal. That of the route before stays until then. */
  readonly answer: Answer | undefined;
  /** Why it could not be loaded. */
  readonly lines: readonly string[];
  readonly isLoading: boolean;
}

/**
 * What a control route answers.
 * @param route its path with its query, like `/keys?limit=25`
 * @param revision the route is read again when this is another one
 */
export function useRoute<Answer>(client: Client, route: string, revision: unknown): Read<Answer> {
  const [{ of, ...read }, setRead] = useState<Omit<Read<Answer>, "isLoading"> & { of: string }>({
    answer: undefined,
    lines: [],
    of: "",
  });
  useEffect(() => {
    const end = new AbortController();
    client.control<Answer>(`GET ${route}`, undefined, end.signal).then(
      (answer) => setRead({ answer, lines: [], of: route }),
      (error: unknown) => {
        if (!isAborted(error)) setRead({ answer: undefined, lines: linesOf(error), of: route });
      },
    );
    return () => end.abort();
  }, [client, route, revision]);
  return { ...read, isLoading: of !== route };
}
