import { useState } from "preact/hooks";
import type { Client } from "../data/client.ts";
import { Dialog } from "./dialog.tsx";
import type { Work } from "../data/use-work.ts";

interface StateProps {
  readonly client: Client;
  readonly work: Work;
}

/** Everything that the emulator holds, as a whole: back to the start, to a file, and from one. */
export function State({ client, work }: StateProps) {
  const [told, tell] = useState("");
  const run = async (what: string, change: () => Promise<unknown>) => {
    tell("");
    if (await work.run(change)) tell(what);
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
            run(`${file.name} is in its place.`, () => client.control("PUT /snapshot", file))
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
        {work.isBusy ? "Working…" : told || "Files are JSON. A YAML fixture is for --fixture."}
      </p>
    </fieldset>
  );
}

/** Asks once more, because what it takes away does not come back. */
function Reset({ onReset }: { readonly onReset: () => void }) {
  const [isAsking, setAsking] = useState(false);
  const close = () => setAsking(false);
  return (
    <>
      <button type="button" onClick={() => setAsking(true)}>
        Reset
      </button>
      {isAsking && (
        <Dialog title="Bring back the state of the start?" onClose={close}>
          <p>Keys, faults and the clock go back to how they were, and the journal is emptied.</p>
          <footer>
            <button
              type="button"
              class="main"
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
        class="unseen"
        accept=".json,application/json"
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? [];
          if (file !== undefined) onFile(file);
          // The same file may be meant once more.
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
