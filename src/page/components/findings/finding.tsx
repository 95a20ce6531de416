import { pluralize } from "../../../base/wording/text.ts";
import { JournalEntry } from "../journal/journal-entry.tsx";
import { Row } from "../row.tsx";
import type { World } from "../../data/use-world.ts";

interface FindingProps extends Pick<World, "faults" | "requests"> {
  readonly of: World["findings"][number];
}

/** A mistake of a client, what to change, and the calls that show it when they are opened. */
export function Finding({ of, faults, requests }: FindingProps) {
  return (
    <li class="finding">
      <h3>{of.rule}</h3>
      <p>{of.why}</p>
      <p class="hint">{of.advice}</p>
      <ul>
        <Row summary={pluralize(of.requests.length, "call")}>
          {() => <Calls ids={of.requests} faults={faults} requests={requests} />}
        </Row>
      </ul>
    </li>
  );
}

interface CallsProps extends Pick<World, "faults" | "requests"> {
  readonly ids: readonly string[];
}

/** Calls as the journal shows them, the oldest first, as far as it still has them. */
function Calls({ faults, ids, requests }: CallsProps) {
  const wanted = new Set(ids);
  const found = requests.filter(({ requestId }) => wanted.has(requestId));
  const gone = ids.length - found.length;
  return (
    <div class="journal">
      <ol class="rows">
        {found.map((request) => (
          <JournalEntry key={request.requestId} request={request} faults={faults} />
        ))}
      </ol>
      {gone > 0 && <p class="dim">{pluralize(gone, "call")} not in the journal any more</p>}
    </div>
  );
}
