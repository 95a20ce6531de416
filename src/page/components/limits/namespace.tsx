import { useState } from "preact/hooks";
import type { RecordedRequest } from "../../../world/journal/recorded-request.ts";
import { AskedDialog, type Asked } from "../asked.tsx";
import type { Client } from "../../data/client.ts";
import { CountUse } from "./count-use.tsx";
import { Overrides, toSetOverride } from "./overrides.tsx";
import { useRights } from "../../data/page-context.ts";
import { RecentUses } from "./recent-uses.tsx";
import type { NamespaceState } from "../../data/use-namespaces.ts";

interface NamespaceProps {
  readonly of: NamespaceState;
  readonly client: Client;
  readonly revision: number;
  readonly requests: readonly RecordedRequest[];
  readonly now: number;
}

/** A namespace of rate limits: its overrides, and what was limited lately. */
export function Namespace({ client, now, of, requests, revision }: NamespaceProps) {
  const [asked, setAsked] = useState<Asked>();
  const [isCounting, setCounting] = useState(false);
  const may = useRights();
  return (
    <section class="panel limits" aria-labelledby="limits" tabIndex={-1}>
      <header>
        <div class="names">
          <h2 id="limits">
            <bdi>{of.name}</bdi>
          </h2>
          <span class="dim">
            <code>{of.id}</code>
            {of.deleted && ", deleted"}
          </span>
        </div>
        <span class="buttons">
          {may("ratelimit.setOverride", of.id) && (
            <button type="button" onClick={() => setAsked(toSetOverride(of))}>
              Set an override
            </button>
          )}
          {may("ratelimit.limit", of.id) && (
            <button type="button" class="main" onClick={() => setCounting(true)}>
              Count a use
            </button>
          )}
        </span>
      </header>
      <Overrides of={of} client={client} revision={revision} onAsk={setAsked} />
      <RecentUses of={of} requests={requests} now={now} />
      {asked !== undefined && (
        <AskedDialog {...asked} client={client} onClose={() => setAsked(undefined)} />
      )}
      {isCounting && (
        <CountUse
          client={client}
          now={now}
          draft={{ namespace: of.name }}
          onClose={() => setCounting(false)}
        />
      )}
    </section>
  );
}
