import { useState } from "preact/hooks";
import type { Client } from "./client.ts";
import { Dialog } from "./dialog.tsx";
import { Refusal } from "./refusal.tsx";
import { toUtc } from "./time.ts";
import { useWork, type Work } from "./use-work.ts";
import type { ClockState, WorkspaceState } from "./use-world.ts";

interface WorldPanelProps {
  readonly client: Client;
  readonly workspace: WorkspaceState;
  readonly clock: ClockState;
  readonly now: number;
}

/** The clock, and everything that the emulator holds as a whole. */
export function WorldPanel({ client, clock, now, workspace }: WorldPanelProps) {
  const work = useWork();
  return (
    <section class="panel world" aria-labelledby="world" tabIndex={-1}>
      <header>
        <h2 id="world">World</h2>
      </header>
      <Refusal lines={work.lines} />
      <Clock client={client} clock={clock} now={now} work={work} />
      <State client={client} work={work} />
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
        <dd>{workspace.isIsolated ? "each token has a copy of its own" : "off"}</dd>
        <dt>quirks</dt>
        <dd>{workspace.quirks.length === 0 ? "none" : workspace.quirks.join(", ")}</dd>
      </dl>
    </section>
  );
}

const spans = ["1m", "1h", "1d", "30d"];

interface ClockProps extends Pick<WorldPanelProps, "client" | "clock" | "now"> {
  readonly work: Work;
}

function Clock({ client, clock, now, work }: ClockProps) {
  const [time, setTime] = useState("");
  const steer = (change: object) => work.run(() => client.control("PUT /clock", change));
  return (
    <fieldset>
      <legend>Clock</legend>
      <p class="time">
        <time>{toUtc(now)}</time> UTC{" "}
        <span class={clock.frozen ? "badge warn" : "badge calm"}>
          {clock.frozen ? "stands still" : "runs"}
        </span>
      </p>
      <div class="buttons">
        <button type="button" onClick={() => steer({ frozen: !clock.frozen })}>
          {clock.frozen ? "Let it run" : "Freeze"}
        </button>
        {spans.map((advance) => (
          <button
            key={advance}
            type="button"
            aria-label={`Advance by ${advance}`}
            onClick={() => steer({ advance })}
          >
            +{advance}
          </button>
        ))}
      </div>
      <form
        class="buttons"
        onSubmit={(event) => {
          event.preventDefault();
          void steer({ now: time });
        }}
      >
        <input
          type="datetime-local"
          step={1}
          aria-label="Time to go to, in UTC"
          value={time}
          onInput={({ currentTarget }) => setTime(currentTarget.value)}
        />
        <button type="submit" disabled={time === ""}>
          Go there
        </button>
      </form>
    </fieldset>
  );
}

function State({ client, work }: Pick<ClockProps, "client" | "work">) {
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
