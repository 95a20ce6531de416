import { useState } from "preact/hooks";
import { pluralize } from "../../base/wording/text.ts";
import { usePage } from "../data/page-context.ts";
import { toUtc } from "../data/time.ts";
import { useWork } from "../data/use-work.ts";
import { Keep } from "./keep.tsx";
import { Menu } from "./menu.tsx";
import { Ask, Copy, Fact, Name, Refusal } from "./parts.tsx";

/** The facts of the workspace, and buttons that reset, save and restore it. */
export function WorkspaceMenu() {
  const { client, world } = usePage();
  const { gateway, isIsolated, id, mayControl, name, quirks, randomSeed } = world.workspace;
  const { baseUrl } = client.connection;
  return (
    <Menu title="Workspace" label={<Name of={name ?? id} />}>
      <dl class="facts">
        <Fact name="Id">
          <code>{id}</code>
        </Fact>
        {baseUrl !== undefined && (
          <Fact name="URL">
            <code>{baseUrl}</code> <Copy text={baseUrl} label="Copy the URL of the workspace" />
          </Fact>
        )}
        {gateway !== undefined && (
          <Fact name="Gateway">
            <code>{gateway}</code> <Copy text={gateway} label="Copy the URL of the gateway" />
          </Fact>
        )}
        <Fact name="Random seed">{randomSeed}</Fact>
        {isIsolated && <Fact name="Isolation">each token has a copy of the workspace</Fact>}
        {quirks.length > 0 && <Fact name="Quirks">{quirks.join(", ")}</Fact>}
        {!mayControl && <Fact name="Your token">may watch, and change nothing here</Fact>}
      </dl>
      {mayControl && <Acts />}
      {mayControl && <Keep />}
    </Menu>
  );
}

function Acts() {
  const { client, world } = usePage();
  const { keys, since } = world.workspace.initial;
  const [status, setStatus] = useState("");
  const work = useWork();
  const run = async (success: string, change: () => Promise<unknown>) => {
    setStatus("");
    if (await work.run(change)) setStatus(success);
  };
  const file = (words: string, done: string, route: string) => (
    <label class="button">
      {words}
      <input
        type="file"
        class="unseen"
        accept=".json,application/json"
        onChange={({ currentTarget }) => {
          const [chosen] = currentTarget.files ?? [];
          if (chosen === undefined) return;
          void run(`${chosen.name} is ${done}.`, () => client.control(route, chosen));
          // Lets the user choose the same file again: without a change there would be no event.
          currentTarget.value = "";
        }}
      />
    </label>
  );
  const reset = () => run("Everything is reset.", () => client.control("POST /reset"));
  const saved = () => void run("The snapshot is saved.", async () => save(await client.snapshot()));
  return (
    <>
      <div class="acts column">
        <button type="button" onClick={saved}>
          Save a snapshot
        </button>
        {file("Restore a snapshot", "restored", "PUT /snapshot")}
        {file("Add records from a file", "added", "POST /seed")}
        <Ask
          button="Reset"
          text={`Everything goes back to the state of ${toUtc(since)} UTC (real time), with ${pluralize(keys, "key")}. Changes since then and all calls are forgotten.`}
          answers={[["Reset everything", reset]]}
          isDangerous
        />
      </div>
      <p role="status" class="soft">
        {work.isBusy ? "Working…" : status || "Files are fixtures as JSON."}
      </p>
      <Refusal lines={work.lines} />
    </>
  );
}

function save(blob: Blob): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = url;
  link.download = "latchkey-snapshot.json";
  link.click();
  URL.revokeObjectURL(url);
}
