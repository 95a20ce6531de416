import { useState } from "preact/hooks";
import { usePage } from "../data/page-context.ts";
import { toClock, toDay, toUtc } from "../data/time.ts";
import { useWork } from "../data/use-work.ts";
import { Menu } from "./menu.tsx";
import { Refusal } from "./parts.tsx";

/** How far a button moves the clock forward. */
const spans = [
  ["1m", "1 minute"],
  ["1h", "1 hour"],
  ["1d", "1 day"],
  ["30d", "30 days"],
] as const;

/** A clock that differs more than this from the browser's time (ms) was moved. */
const MOVED = 60_000;

/** The emulator's time, and ways to change it. */
export function ClockMenu() {
  const { now, world } = usePage();
  const { clock, isLive } = world;
  const isMoved = Math.abs(now - Date.now()) >= MOVED;
  const state = clock.frozen ? "stopped" : isMoved ? "moved" : "";
  const tone = state === "" ? "good" : "warn";
  const label = (
    <>
      <span class={`dot ${isLive ? tone : "off"}`} />
      {state !== "" && <span class="wide">{state}</span>}
      <time>
        <span class="wide">{toDay(now)}</span> {toClock(now)}
      </time>
    </>
  );
  return (
    <Menu title="Clock" label={label}>
      <p>
        {toUtc(now)} UTC. The clock{" "}
        {clock.frozen ? "is stopped." : isMoved ? "was moved, and is running." : "is running."}
      </p>
      {world.workspace.mayControl && <ClockActs />}
    </Menu>
  );
}

function ClockActs() {
  const { client, world } = usePage();
  const { frozen } = world.clock;
  const [time, setTime] = useState("");
  const work = useWork();
  const change = (to: object) => void work.run(() => client.control("PUT /clock", to));
  return (
    <>
      <h3 id="forward">Move forward</h3>
      <div class="acts" role="group" aria-labelledby="forward">
        {spans.map(([advance, words]) => (
          <button key={advance} type="button" onClick={() => change({ advance })}>
            {words}
          </button>
        ))}
      </div>
      <form
        class="acts"
        onSubmit={(event) => {
          event.preventDefault();
          change({ now: time });
        }}
      >
        <label class="field">
          Go to (UTC)
          <input
            type="datetime-local"
            step={1}
            required
            value={time}
            onInput={({ currentTarget }) => setTime(currentTarget.value)}
          />
        </label>
        <button type="submit">Set</button>
      </form>
      <div class="acts">
        <button type="button" onClick={() => change({ frozen: !frozen })}>
          {frozen ? "Let it run" : "Stop"}
        </button>
        <button type="button" onClick={() => change({ now: "real" })}>
          Back to real time
        </button>
      </div>
      <Refusal lines={work.lines} />
    </>
  );
}
