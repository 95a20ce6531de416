import type { Client } from "../data/client.ts";
import { Clock } from "./clock.tsx";
import { Refusal } from "./refusal.tsx";
import { Data } from "./data.tsx";
import { useWork } from "../data/use-work.ts";
import type { WorkspaceState } from "../../control/route-schemas.ts";
import type { PageClock } from "../data/use-world.ts";

interface StatePanelProps {
  readonly client: Client;
  readonly workspace: WorkspaceState;
  readonly clock: PageClock;
  readonly now: number;
}

/** The clock, the state as a whole, and facts about the workspace. */
export function StatePanel({ client, clock, now, workspace }: StatePanelProps) {
  const work = useWork();
  const { mayControl } = workspace;
  return (
    <section class="panel state" aria-labelledby="state" tabIndex={-1}>
      <header>
        <h2 id="state">State</h2>
      </header>
      <Refusal lines={work.lines} />
      <Clock client={client} clock={clock} now={now} work={work} mayControl={mayControl} />
      {mayControl && <Data client={client} work={work} of={workspace.initial} />}
      <dl>
        <dt>workspace</dt>
        <dd>
          <bdi>{workspace.name}</bdi> <code>{workspace.id}</code>
        </dd>
        <dt>random seed</dt>
        <dd>
          <code>{workspace.randomSeed}</code>
        </dd>
        <dt>isolation</dt>
        <dd>{workspace.isIsolated ? "each token has its own copy of the workspace" : "off"}</dd>
        <dt>quirks</dt>
        <dd>{workspace.quirks.length === 0 ? "none" : workspace.quirks.join(", ")}</dd>
        {!mayControl && (
          <>
            <dt>token</dt>
            <dd>may only watch</dd>
          </>
        )}
      </dl>
    </section>
  );
}
