import { useEffect, useState } from "preact/hooks";
import type { TokenNeeds } from "../../journal/needed-permissions.ts";
import type { Client } from "./client.ts";
import { isAborted, linesOf } from "./refused.ts";

interface Needs {
  /** Undefined until they are loaded. */
  readonly tokens: readonly TokenNeeds[] | undefined;
  readonly lines: readonly string[];
}

/** The permissions that each token needs; read again when another call was made. */
export function useNeeds(client: Client, anyApi: boolean, calls: string | undefined): Needs {
  const [needs, setNeeds] = useState<Needs>({ tokens: undefined, lines: [] });
  useEffect(() => {
    const end = new AbortController();
    const route = `GET /needed-permissions?anyApi=${anyApi}`;
    client.control<{ tokens: TokenNeeds[] }>(route, undefined, end.signal).then(
      ({ tokens }) => setNeeds({ tokens, lines: [] }),
      (error: unknown) => {
        if (!isAborted(error)) setNeeds({ tokens: undefined, lines: linesOf(error) });
      },
    );
    return () => end.abort();
  }, [client, anyApi, calls]);
  return needs;
}
