import { useEffect, useState } from "preact/hooks";
import type { Client } from "./client.ts";
import { isAborted, linesOf } from "./refused.ts";

/** A namespace of rate limits, as the control routes return it. */
export interface NamespaceState {
  readonly id: string;
  readonly name: string;
  readonly deleted: boolean;
  readonly overrides: readonly unknown[];
}

interface Namespaces {
  /** Undefined until they are loaded; the first ones, if there are very many. */
  readonly namespaces: readonly NamespaceState[] | undefined;
  /** Why they could not be loaded. */
  readonly lines: readonly string[];
}

interface NamespacesReply {
  readonly ratelimitNamespaces: readonly NamespaceState[];
}

/** The namespaces of rate limits, which no operation lists. The list follows changes. */
export function useNamespaces(client: Client, revision: number): Namespaces {
  const [read, setRead] = useState<Namespaces>({ namespaces: undefined, lines: [] });
  useEffect(() => {
    const end = new AbortController();
    client
      .control<NamespacesReply>("GET /ratelimitNamespaces?limit=1000", undefined, end.signal)
      .then(
        ({ ratelimitNamespaces }) => setRead({ namespaces: ratelimitNamespaces, lines: [] }),
        (error: unknown) => {
          if (!isAborted(error)) setRead({ namespaces: undefined, lines: linesOf(error) });
        },
      );
    return () => end.abort();
  }, [client, revision]);
  return read;
}
