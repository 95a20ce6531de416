import { useState } from "preact/hooks";
import type { Client } from "../data/client.ts";
import { toUtc } from "../data/time.ts";
import type { Work } from "../data/use-work.ts";
import type { PageClock } from "../data/use-world.ts";

/** Durations for the buttons that advance the clock. */
const spans = [
  ["1m", "a minute"],
  ["1h", "an hour"],
  ["1d", "a day"],
  ["30d", "30 days"],
] as const;

interface ClockProps {
  readonly client: Client;
  readonly clock: PageClock;
  readonly now: number;
  readonly work: Work;
  readonly mayControl: boolean;
}

/** The emulator's time, and ways to change it. */
export function Clock({ client, clock, mayControl, now, work }: ClockProps) {
  const [time, setTime] = useState("");
  const change = (to: object) => work.run(() => client.control("PUT /clock", to));
  return (
    <fieldset>
      <legend>Clock</legend>
      <p class="time">
        <time>{toUtc(now)}</time> UTC{" "}
        <span class={clock.frozen ? "badge warn" : "badge calm"}>
          {clock.frozen ? "stands still" : "runs"}
        </span>
      </p>
      {mayControl && (
        <>
          <div class="buttons">
            <button type="button" onClick={() => change({ frozen: !clock.frozen })}>
              {clock.frozen ? "Let it run" : "Freeze"}
            </button>
            <button type="button" onClick={() => change({ now: "real" })}>
              Real time
            </button>
            {spans.map(([advance, words]) => (
              <button
                key={advance}
                type="button"
                title={`Advance the clock by ${words}`}
                onClick={() => change({ advance })}
              >
                +{advance}
              </button>
            ))}
          </div>
          <form
            class="buttons"
            onSubmit={(event) => {
              event.preventDefault();
              void change({ now: time });
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
        </>
      )}
    </fieldset>
  );
}
