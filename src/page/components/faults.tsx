import { pluralize } from "../../base/wording/text.ts";
import { useRef, useState } from "preact/hooks";
import type { Client } from "../data/client.ts";
import { Confirmed } from "./confirmed.tsx";
import { Dialog } from "./dialog.tsx";
import { Refusal } from "./refusal.tsx";
import { summaryOf } from "../data/fault-words.ts";
import { SchemaForm } from "./schema-form.tsx";
import type { Draft, Schema } from "../data/schema.ts";
import { useDocument, useOperationNames } from "../data/use-document.ts";
import { useWork } from "../data/use-work.ts";
import type { FaultState, WorkspaceState } from "../../control/route-schemas.ts";
import { isUsedUp } from "../data/use-world.ts";

/** Common faults, each with a button. */
const usual: readonly { readonly title: string; readonly fault: object }[] = [
  { title: "The next call fails", fault: { status: 500, times: 1 } },
  {
    title: "Creating the next key fails",
    fault: { operation: "keys.createKey", status: 500, times: 1 },
  },
  {
    // Not `drop`: a browser repeats a call by itself if the connection closes without a reply.
    title: "The reply to the next created key breaks off",
    fault: { operation: "keys.createKey", effect: "truncate", times: 1 },
  },
  {
    title: "Listing keys fails: too many requests (429)",
    fault: { operation: "apis.listKeys", status: 429 },
  },
  { title: "Everything takes 1 to 2 s", fault: { latency: [1_000, 2_000] } },
];

interface FaultsProps {
  readonly client: Client;
  readonly faults: readonly FaultState[];
  readonly workspace: WorkspaceState;
}

/** The list of faults, with ways to add and remove them. */
export function Faults({ client, faults, workspace }: FaultsProps) {
  const { mayControl } = workspace;
  const [isAdding, setAdding] = useState(false);
  const add = useRef<HTMLButtonElement>(null);
  const work = useWork();
  const call = (line: string, body?: unknown) => work.run(() => client.control(line, body));
  return (
    <section class="panel faults" aria-labelledby="faults" tabIndex={-1}>
      <header>
        <h2 id="faults">Faults</h2>
        {mayControl && (
          <button type="button" class="main" ref={add} onClick={() => setAdding(true)}>
            Add a fault
          </button>
        )}
      </header>
      {mayControl && (
        <div class="buttons" role="group" aria-label="Usual faults">
          {usual.map(({ fault, title }) => (
            <button key={title} type="button" onClick={() => call("POST /faults", fault)}>
              {title}
            </button>
          ))}
        </div>
      )}
      <Refusal lines={work.lines} />
      {faults.length === 0 && <p class="dim empty">Nothing goes wrong on purpose.</p>}
      <ul class="rows">
        {faults.map((fault) => (
          <li key={fault.id} class={isUsedUp(fault) ? "fault off" : "fault"}>
            <span class="names">
              <bdi class="title">{summaryOf(fault)}</bdi>
              <code>{fault.id}</code>
            </span>
            <span class={fault.hits > 0 ? "badge warn" : "badge calm"}>
              {fault.hits === 0 ? "no hits yet" : `hit ${fault.hits} ×`}
            </span>
            {mayControl && (
              <button
                type="button"
                class="quiet"
                aria-label={`Remove ${fault.id}`}
                onClick={() => {
                  // This button disappears with its fault, so the focus needs another place.
                  add.current?.focus();
                  void call(`DELETE /faults/${fault.id}`);
                }}
              >
                Remove
              </button>
            )}
          </li>
        ))}
      </ul>
      {mayControl && faults.length > 1 && (
        <Confirmed
          text="Remove all"
          class="quiet"
          question="Remove all faults?"
          answer="Remove them"
          onConfirm={() => void call("DELETE /faults")}
        >
          {`${pluralize(faults.length, "fault")} are removed, and calls are answered as usual.`}
        </Confirmed>
      )}
      {isAdding && <AddFault client={client} onClose={() => setAdding(false)} />}
    </section>
  );
}

const anyFault: Schema = { $ref: "#/components/schemas/Fault" };

interface AddFaultProps extends Pick<FaultsProps, "client"> {
  readonly onClose: () => void;
}

function AddFault({ client, onClose }: AddFaultProps) {
  const { document, lines } = useDocument(client, "/openapi.json");
  const names = useOperationNames(client);
  const [draft, setDraft] = useState<Draft>({});
  const work = useWork();
  const add = async (fault: object) => {
    if (await work.run(() => client.control("POST /faults", fault))) onClose();
  };
  return (
    <Dialog title="Add a fault" onClose={onClose}>
      <SchemaForm
        // With its fields at once: one that becomes a choice later would lose the focus.
        document={names && document}
        schema={anyFault}
        draft={draft}
        onDraft={setDraft}
        onSend={(fault) => void add(fault)}
        work={work}
        lines={lines}
        submit="Add"
        choices={names ? { operation: names } : {}}
      />
    </Dialog>
  );
}
