import { useState } from "preact/hooks";
import { pluralize } from "../../../base/wording/text.ts";
import type { RecordedRequest } from "../../../world/journal/recorded-request.ts";
import type { Client } from "../../data/client.ts";
import { isSuccess } from "../../data/outcome.ts";
import { CallsByMinute } from "../usage/calls-by-minute.tsx";
import { Confirmed } from "../confirmed.tsx";
import { JournalEntry, nameOf } from "./journal-entry.tsx";
import { Refusal } from "../refusal.tsx";
import { useWork } from "../../data/use-work.ts";
import type { FaultState } from "../../../control/route-schemas.ts";

const MAX_SHOWN = 100;

interface JournalProps {
  readonly client: Client;
  readonly requests: readonly RecordedRequest[];
  readonly faults: readonly FaultState[];
  readonly isLive: boolean;
  readonly mayControl: boolean;
}

/** The journal, updated as calls arrive, the newest first. */
export function Journal({ client, faults, isLive, mayControl, requests }: JournalProps) {
  const [operation, setOperation] = useState("");
  const [isRefused, setRefused] = useState(false);
  const [paused, setPaused] = useState<readonly RecordedRequest[]>();
  const [shown, setShown] = useState(MAX_SHOWN);
  const work = useWork();
  const all = paused ?? requests;
  const known = new Set(paused?.map(({ requestId }) => requestId));
  const newer = requests.filter(({ requestId }) => !known.has(requestId)).length;
  const names = [...new Set(all.map(nameOf))].sort();
  const found = all
    .filter((request) => operation === "" || nameOf(request) === operation)
    .filter((request) => !isRefused || !isSuccess(request))
    .toReversed();
  return (
    <section class="panel journal" aria-labelledby="journal" tabIndex={-1}>
      <header>
        <h2 id="journal">Journal</h2>
        <span class={isLive ? "live on" : "live"} role="status">
          {isLive ? (paused ? "paused" : "live") : "not connected"}
        </span>
      </header>
      <form class="filters" onSubmit={(event) => event.preventDefault()}>
        <select
          aria-label="Operation"
          value={operation}
          onInput={({ currentTarget }) => setOperation(currentTarget.value)}
        >
          <option value="">all calls</option>
          {names.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
        <label>
          <input
            type="checkbox"
            checked={isRefused}
            onInput={({ currentTarget }) => setRefused(currentTarget.checked)}
          />{" "}
          failed
        </label>
        <button
          type="button"
          class="quiet"
          aria-pressed={paused !== undefined}
          onClick={() => setPaused(paused ? undefined : requests)}
        >
          {paused ? `Continue (${newer.toLocaleString("en")} new)` : "Pause"}
        </button>
        {mayControl && (
          <Confirmed
            text="Empty the journal"
            class="quiet"
            question="Empty the journal?"
            answer="Remove them"
            onConfirm={() => {
              setPaused(undefined);
              void work.run(() => client.control("DELETE /requests"));
            }}
          >
            {`${pluralize(requests.length, "call")} and what is counted of them by minute are removed, also for the test that made them.`}
          </Confirmed>
        )}
      </form>
      <Refusal lines={work.lines} />
      {found.length === 0 && (
        <p class="dim empty">
          {all.length > 0
            ? "No call matches the filters."
            : isLive
              ? "There are no calls yet."
              : "The calls appear here once the emulator answers."}
        </p>
      )}
      <CallsByMinute of={found} />
      <ol class="rows">
        {found.slice(0, shown).map((request) => (
          <JournalEntry key={request.requestId} request={request} faults={faults} />
        ))}
      </ol>
      {found.length > shown && (
        <button type="button" class="quiet" onClick={() => setShown(shown + MAX_SHOWN)}>
          {(found.length - shown).toLocaleString("en")} more
        </button>
      )}
    </section>
  );
}
