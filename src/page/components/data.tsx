import { useState } from "preact/hooks";
import { pluralize } from "../../base/wording/text.ts";
import type { Client } from "../data/client.ts";
import { Confirmed } from "./confirmed.tsx";
import { toUtc } from "../data/time.ts";
import type { Work } from "../data/use-work.ts";
import type { WorkspaceState } from "../../control/route-schemas.ts";

interface DataProps {
  readonly client: Client;
  readonly work: Work;
  /** What a reset brings back. */
  readonly of: WorkspaceState["initial"];
}

/** Reset, save and restore snapshots, and add fixtures. */
export function Data({ client, of: { keys, since }, work }: DataProps) {
  const [status, setStatus] = useState("");
  const run = async (success: string, change: () => Promise<unknown>) => {
    setStatus("");
    if (await work.run(change)) setStatus(success);
  };
  return (
    <fieldset>
      <legend>Data</legend>
      <div class="buttons">
        <Confirmed
          text="Reset"
          question="Reset to the initial state?"
          answer="Reset everything"
          onConfirm={() => void run("Reset.", () => client.control("POST /reset"))}
        >
          {`Everything goes back to the state of ${toUtc(since)} UTC (real time), with ${pluralize(keys, "key")}: the keys and other records, the faults and the clock. What changed after that is lost, and the journal is emptied.`}
        </Confirmed>
        <button
          type="button"
          disabled={work.isBusy}
          onClick={() => run("The snapshot is saved.", async () => save(await client.snapshot()))}
        >
          Save a snapshot
        </button>
        <FileButton
          text="Restore a snapshot"
          onFile={(file) =>
            run(`${file.name} was restored.`, () => client.control("PUT /snapshot", file))
          }
        />
        <FileButton
          text="Add a fixture"
          onFile={(file) =>
            run(`${file.name} was added.`, () => client.control("POST /seed", file))
          }
        />
      </div>
      <p class="hint" role="status">
        {work.isBusy
          ? "Working…"
          : status ||
            "These buttons take JSON files. To use a YAML fixture, start latchkey with --fixture."}
      </p>
    </fieldset>
  );
}

interface FileButtonProps {
  readonly text: string;
  readonly onFile: (file: File) => void;
}

function FileButton({ onFile, text }: FileButtonProps) {
  return (
    <label class="button">
      {text}
      <input
        type="file"
        class="visually-hidden"
        accept=".json,application/json"
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? [];
          if (file !== undefined) onFile(file);
          // Lets the user choose the same file again: without a change there would be no event.
          currentTarget.value = "";
        }}
      />
    </label>
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
