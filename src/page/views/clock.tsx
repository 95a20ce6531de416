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

/** The emulator's time, and ways to change it. */
export function ClockMenu() {
  const { now, world } = usePage();
  const { clock, isLive } = world;
  const dot = isLive ? (clock.frozen ? "warn" : "good") : "off";
  const label = (
    <>
      <span class={`dot ${dot}`} />
      <time>
        <span class="wide">{toDay(now)}</span> {toClock(now)}
      </time>
    </>
  );
  return (
    <Menu title="Clock" label={label}>
      <p>
        {toUtc(now)} UTC. {clock.frozen ? "The clock is stopped." : "The clock is running."}
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
