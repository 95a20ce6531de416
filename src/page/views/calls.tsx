import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { RecordedRequest } from "../../world/journal/recorded-request.ts";
import { callName, isRefused, describe } from "../data/call-words.ts";
import { useLive, usePage } from "../data/page-context.ts";
import { replacePlace } from "../data/place.ts";
import { toClock } from "../data/time.ts";
import { Arrow } from "./menu.tsx";
import { Call } from "./one-call.tsx";
import { Ask, Copy, Name } from "./parts.tsx";

/** The heights (px) of the open list. */
const [LEAST, USUAL] = [120, 300];
/** How far (px) an arrow key moves the upper edge. */
const STEP = 40;
/** How many calls are shown; the journal keeps 1,000. */
const SHOWN = 200;

/** The calls of all clients, closed to one line, or open to a list whose upper edge can be dragged. */
export function Calls() {
  const { client, place, world } = usePage();
  const { requests, workspace } = world;
  const [isOpen, setOpen] = useState(place.request !== undefined);
  const [height, setHeight] = useState(USUAL);
  const [isOfRefused, setOfRefused] = useState(false);
  const { answer } = useLive<{ readonly count: number }>("/requests/count");
  useEffect(() => {
    if (place.request !== undefined) setOpen(true);
  }, [place.request]);
  const toggle = () => {
    if (isOpen && place.request !== undefined) replacePlace(place, { request: undefined });
    setOpen(!isOpen);
  };
  const newest = requests.at(-1);
  const refused = useMemo(() => requests.filter(isRefused), [requests]);
  const all = Math.max(answer?.count ?? 0, requests.length).toLocaleString("en");
  const kept = requests.length.toLocaleString("en");
  return (
    <section class={isOpen ? "calls open" : "calls"} aria-label="Calls" tabIndex={-1}>
      {isOpen && <Edge height={height} onHeight={setHeight} />}
      <header>
        <button type="button" class="toggle" aria-expanded={isOpen} onClick={toggle}>
          <Arrow isUp={!isOpen} />
          <b>Calls</b> <span class="count">{all}</span>
        </button>
        {isOpen ? (
          <>
            <label class="check">
              <input
                type="checkbox"
                checked={isOfRefused}
                onChange={({ currentTarget }) => setOfRefused(currentTarget.checked)}
              />
              refused
            </label>
            <span class="grow" />
            {workspace.mayControl && (
              <Ask
                button="Forget all calls"
                text={`Forget ${all} calls? Limits, findings and keys then show none of them.`}
                answers={[["Forget them", () => client.control("DELETE /requests")]]}
                isDangerous
                isIdle={requests.length === 0}
              />
            )}
          </>
        ) : (
          <>
            {newest === undefined ? <NoCall /> : <Newest of={newest} />}
            <span class="grow" />
            {refused.length > 0 && (
              <button
                type="button"
                class="toggle"
                onClick={() => {
                  setOfRefused(true);
                  setOpen(true);
                }}
              >
                {refused.length} {all !== kept && `of the last ${kept} `}refused
              </button>
            )}
          </>
        )}
      </header>
      {isOpen && (
        <List
          requests={isOfRefused ? refused : requests}
          count={isOfRefused ? String(refused.length) : all}
          height={height}
          isOfRefused={isOfRefused}
        />
      )}
    </section>
  );
}

function NoCall() {
  const { baseUrl } = usePage().client.connection;
  return (
    <span class="may-cut">
      No calls recorded.{baseUrl && " Point your client at "}
      <code>{baseUrl}</code>
    </span>
  );
}

function Newest({ of: request }: { readonly of: RecordedRequest }) {
  const { code, kind, subject, words } = describe(request);
  return (
    <span class="may-cut" role="status">
      <span class="wide">
        <time class="mono">{toClock(request.time)}</time> {callName(request)}
        {subject !== undefined && " · "}
      </span>
      <Name of={subject} />{" "}
      <span class={kind}>
        {code}
        {code !== undefined && <span class="wide">: </span>}
        <span class={code === undefined ? "" : "wide"}>{words}</span>
      </span>
    </span>
  );
}

/** The upper edge of the list. A mouse drags it and arrow keys move it. */
function Edge({ height, onHeight }: Readonly<{ height: number; onHeight: (to: number) => void }>) {
  const most = Math.max(LEAST, Math.round(innerHeight * 0.7));
  const change = (to: number) => onHeight(Math.min(Math.max(to, LEAST), most));
  const start = useRef<number | undefined>(undefined);
  return (
    <div
      class="edge"
      role="separator"
      tabIndex={0}
      aria-orientation="horizontal"
      aria-label="Height of the calls"
      aria-valuemin={LEAST}
      aria-valuemax={most}
      aria-valuenow={height}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        start.current = event.clientY + height;
      }}
      onPointerMove={({ clientY }) => {
        if (start.current !== undefined) change(start.current - clientY);
      }}
      onPointerUp={() => {
        start.current = undefined;
      }}
      onKeyDown={({ key }) => {
        if (key === "ArrowUp") change(height + STEP);
        if (key === "ArrowDown") change(height - STEP);
      }}
    />
  );
}

interface ListProps {
  readonly requests: readonly RecordedRequest[];
  /** The number of calls. */
  readonly count: string;
  readonly height: number;
  readonly isOfRefused: boolean;
}

function List({ count, height, isOfRefused, requests }: ListProps) {
  const { client, place } = usePage();
  const shown = requests.slice(-SHOWN).reverse();
  const chosen = requests.find(({ requestId }) => requestId === place.request);
  // A chosen call is shown even if it is an old one.
  const all = chosen === undefined || shown.includes(chosen) ? shown : [...shown, chosen];
  return (
    <div class="scroll" style={{ height: `${height}px` }}>
      {requests.length === 0 && (
        <p class="empty">
          {isOfRefused ? (
            "No recorded call was refused."
          ) : (
            <>
              <NoCall /> <Copy text={client.connection.baseUrl} label="Copy the URL for clients" />
            </>
          )}
        </p>
      )}
      <ol>
        {all.map((request) => (
          <Call key={request.requestId} of={request} />
        ))}
      </ol>
      {requests.length > all.length && (
        <p class="empty">{`The newest ${all.length} of ${count} calls.`}</p>
      )}
    </div>
  );
}
