import { useState } from "preact/hooks";
import type { RecordedRequest } from "../../../world/journal/recorded-request.ts";
import type { Client } from "../../data/client.ts";
import { CountUse } from "./count-use.tsx";
import { Namespace } from "./namespace.tsx";
import { Refusal } from "../refusal.tsx";
import { Sidebar } from "../sidebar.tsx";
import { useNamespaces } from "../../data/use-namespaces.ts";
import { hashOf, type ViewState } from "../../data/view-state.ts";

const FIRST_USE = "A namespace is made by its first use.";

interface LimitsProps {
  readonly client: Client;
  readonly revision: number;
  readonly viewState: ViewState;
  /** The journal, the newest last. */
  readonly requests: readonly RecordedRequest[];
  readonly now: number;
}

/** The namespaces of rate limits, and one of them. */
export function Limits(props: LimitsProps) {
  const { client, now, requests, revision, viewState } = props;
  const { lines, namespaces } = useNamespaces(client, revision);
  const [isCounting, setCounting] = useState(false);
  const all = namespaces ?? [];
  const chosen = all.find(({ id }) => id === viewState.namespaceId) ?? all[0];
  return (
    <>
      <Sidebar
        title="Namespaces"
        find="Find a namespace"
        none={namespaces === undefined ? "" : "There are no namespaces."}
        items={all.map(({ deleted, id, name, overrides }) => ({
          id,
          name,
          href: hashOf(viewState, { namespaceId: id, view: "limits" }),
          count: deleted ? "deleted" : overrides.length.toLocaleString("en"),
          counted: deleted ? "namespace" : "overrides",
        }))}
        chosen={chosen?.id}
      >
        <button type="button" onClick={() => setCounting(true)}>
          Use a new namespace
        </button>
      </Sidebar>
      {chosen === undefined ? (
        <section class="panel limits" aria-labelledby="limits" tabIndex={-1}>
          <h2 id="limits">Rate limits</h2>
          <Refusal lines={lines} />
          {lines.length === 0 && (
            <p class="dim empty">{namespaces === undefined ? "Looking…" : FIRST_USE}</p>
          )}
        </section>
      ) : (
        <Namespace
          key={chosen.id}
          of={chosen}
          client={client}
          revision={revision}
          requests={requests}
          now={now}
        />
      )}
      {isCounting && (
        <CountUse client={client} now={now} draft={{}} onClose={() => setCounting(false)}>
          <p class="hint">{FIRST_USE}</p>
        </CountUse>
      )}
    </>
  );
}
