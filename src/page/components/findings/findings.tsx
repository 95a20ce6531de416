import { pluralize } from "../../../base/wording/text.ts";
import type { Client } from "../../data/client.ts";
import { Confirmed } from "../confirmed.tsx";
import { Finding } from "./finding.tsx";
import { NeededPermissions } from "./needed-permissions.tsx";
import { Refusal } from "../refusal.tsx";
import { useWork } from "../../data/use-work.ts";
import type { World } from "../../data/use-world.ts";

interface FindingsProps {
  readonly client: Client;
  readonly world: Pick<World, "faults" | "findings" | "requests">;
  readonly mayControl: boolean;
}

/** The mistakes of clients, the newest first. */
export function Findings({ client, mayControl, world }: FindingsProps) {
  const { faults, findings, requests } = world;
  const work = useWork();
  return (
    <section class="panel findings" aria-labelledby="findings" tabIndex={-1}>
      <header>
        <h2 id="findings">Findings</h2>
        {mayControl && findings.length > 0 && (
          <Confirmed
            text="Clear the findings"
            class="quiet"
            question="Clear the findings?"
            answer="Remove them"
            onConfirm={() => void work.run(() => client.control("DELETE /findings"))}
          >
            {`${pluralize(findings.length, "finding")} will be forgotten.`}
          </Confirmed>
        )}
      </header>
      <p class="hint">
        Mistakes in how clients call the service. They are certain, even if every reply was a 200.
      </p>
      <Refusal lines={work.lines} />
      {findings.length === 0 && <p class="dim empty">No mistakes found.</p>}
      <ul class="rows">
        {findings.toReversed().map((finding, index) => (
          <Finding key={findings.length - index} of={finding} faults={faults} requests={requests} />
        ))}
      </ul>
      {mayControl && <NeededPermissions client={client} latest={requests.at(-1)?.requestId} />}
    </section>
  );
}
