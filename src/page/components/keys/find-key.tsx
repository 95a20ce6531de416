import { useEffect } from "preact/hooks";
import type { KeyState } from "../../../control/record-kinds.ts";
import type { Client } from "../../data/client.ts";
import { useRoute } from "../../data/use-route.ts";
import { hashOfKey } from "../../data/view-state.ts";

interface FindKeyProps {
  readonly client: Client;
  readonly keyId: string;
}

/** Goes on to the list of the API that a key is of. */
export function FindKey({ client, keyId }: FindKeyProps) {
  const route = `/keys/${encodeURIComponent(keyId)}`;
  const { answer, lines } = useRoute<KeyState>(client, route, undefined);
  useEffect(() => {
    if (answer !== undefined) location.replace(hashOfKey(keyId, answer.apiId));
  }, [answer]);
  return (
    <section class="panel keys" aria-label="Keys" tabIndex={-1}>
      <p class="dim empty">
        {lines.length === 0 ? (
          "Looking…"
        ) : (
          <>
            The key <code>{keyId}</code> is not here any more.
          </>
        )}
      </p>
    </section>
  );
}
