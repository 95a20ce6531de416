import { useState } from "preact/hooks";
import type { Client } from "../data/client.ts";
import { Dialog } from "./dialog.tsx";
import type { Work } from "../data/use-work.ts";

interface StateProps {
  readonly client: Client;
  readonly work: Work;
}

/** Reset, save and restore snapshots, and add fixtures. */
export function State({ client, work }: StateProps) {
  const [status, setStatus] = useState("");
  const run = async (success: string, change: () => Promise<unknown>) => {
    setStatus("");
    if (await work.run(change)) setStatus(success);
  };
  return (
    <fieldset>
      <legend>State</legend>
      <div class="buttons">
        <Reset onReset={() => run("Reset.", () => client.control("POST /reset"))} />
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

/** Asks for confirmation, because a reset cannot be undone. */
function Reset({ onReset }: { readonly onReset: () => void }) {
  const [isAsking, setAsking] = useState(false);
  const close = () => setAsking(false);
  return (
    <>
      <button type="button" class="danger" onClick={() => setAsking(true)}>
        Reset
      </button>
      {isAsking && (
        <Dialog title="Reset to the initial state?" dismiss="Cancel" onClose={close}>
          <p>
            Keys, faults and the clock go back to the state that the emulator started with, or to
            the snapshot that was made its initial state since. What changed after that is lost, and
            the journal is emptied.
          </p>
          <footer>
            <button
              type="button"
              class="main danger"
              onClick={() => {
                close();
                onReset();
              }}
            >
              Reset everything
            </button>
          </footer>
        </Dialog>
      )}
    </>
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
