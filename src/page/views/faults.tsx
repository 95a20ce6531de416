import { useState } from "preact/hooks";
import { pluralize } from "../../base/wording/text.ts";
import { isUsedUp, summaryOf } from "../data/fault-words.ts";
import { usePage } from "../data/page-context.ts";
import { useWork } from "../data/use-work.ts";
import { Menu } from "./menu.tsx";
import { Refusal } from "./parts.tsx";

/** Usual faults, each with a button. */
const usual: readonly (readonly [title: string, fault: object])[] = [
  ["The next call fails (500)", { status: 500, times: 1 }],
  ["The next call comes too soon (429)", { status: 429, times: 1 }],
  // Not `drop`: a browser repeats a call by itself if the connection closes without a reply.
  ["The next reply breaks off", { effect: "truncate", times: 1 }],
  ["Every call takes 1 to 2 s", { latency: [1_000, 2_000] }],
];

const EXAMPLE = '{ "operation": "keys.createKey", "status": 503, "times": 3 }';

/** The faults in force, and ways to add and remove them. */
export function FaultsMenu() {
  const { client, world } = usePage();
  const { faults, workspace } = world;
  const { mayControl } = workspace;
  const [text, setText] = useState(EXAMPLE);
  const work = useWork();
  const call = (line: string, body?: unknown) => void work.run(() => client.control(line, body));
  const count = faults.filter((fault) => !isUsedUp(fault)).length;
  const label = count === 0 ? "no faults" : pluralize(count, "fault");
  return (
    <Menu title="Faults" label={<span class={count > 0 ? "warn" : ""}>{label}</span>}>
      <p>A fault makes calls of clients, and of this page, fail or slow on purpose.</p>
      {faults.length === 0 && <p class="soft">Nothing goes wrong on purpose.</p>}
      <ul class="lines stacked">
        {faults.map((fault) => (
          <li key={fault.id} class={isUsedUp(fault) ? "soft" : ""}>
            <bdi>{summaryOf(fault)}</bdi>
            <span class="soft">hit {pluralize(fault.hits, "call")}</span>
            {mayControl && (
              <button
                type="button"
                class="quiet"
                aria-label={`Remove: ${summaryOf(fault)}`}
                onClick={() => call(`DELETE /faults/${fault.id}`)}
              >
                Remove
              </button>
            )}
          </li>
        ))}
      </ul>
      {mayControl && (
        <>
          <div class="acts column" role="group" aria-label="Usual faults">
            {usual.map(([title, fault]) => (
              <button key={title} type="button" onClick={() => call("POST /faults", fault)}>
                {title}
              </button>
            ))}
          </div>
          <label class="field">
            Another fault, as JSON
            <textarea
              rows={3}
              spellcheck={false}
              value={text}
              onInput={({ currentTarget }) => setText(currentTarget.value)}
            />
          </label>
          <button type="button" onClick={() => call("POST /faults", text)}>
            Add it
          </button>
        </>
      )}
      <Refusal lines={work.lines} />
    </Menu>
  );
}
