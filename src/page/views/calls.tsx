import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { RecordedRequest } from "../../world/journal/recorded-request.ts";
import { callName, isRefused, tell } from "../data/call-words.ts";
import { usePage } from "../data/page-context.ts";
import { replacePlace } from "../data/place.ts";
import { toClock } from "../data/time.ts";
import { useWork } from "../data/use-work.ts";
import { Arrow } from "./menu.tsx";
import { Call } from "./one-call.tsx";
import { Copy, Refusal } from "./parts.tsx";

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
  const work = useWork();
  useEffect(() => {
    if (place.request !== undefined) setOpen(true);
  }, [place.request]);
  const toggle = () => {
    if (isOpen && place.request !== undefined) replacePlace(place, { request: undefined });
    setOpen(!isOpen);
  };
  const newest = requests.at(-1);
  const refused = useMemo(() => requests.filter(isRefused), [requests]);
  return (
    <section class={isOpen ? "calls open" : "calls"} aria-label="Calls">
      {isOpen && <Edge height={height} onHeight={setHeight} />}
      <header>
        <button type="button" class="toggle" aria-expanded={isOpen} onClick={toggle}>
          <Arrow isUp={!isOpen} />
          <b>Calls</b> <span class="count">{requests.length.toLocaleString("en")}</span>
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
              <button
                type="button"
                class="quiet"
                aria-disabled={requests.length === 0}
                onClick={() => void work.run(() => client.control("DELETE /requests"))}
              >
                Forget all calls
              </button>
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
                onClick={({ currentTarget }) => {
                  // This button disappears, and the focus must not.
                  currentTarget.parentElement?.querySelector("button")?.focus();
                  setOfRefused(true);
                  setOpen(true);
                }}
              >
                {refused.length} refused
              </button>
            )}
          </>
        )}
      </header>
      {isOpen && <Refusal lines={work.lines} />}
      {isOpen && (
        <List
          requests={isOfRefused ? refused : requests}
          height={height}
          isOfRefused={isOfRefused}
        />
      )}
    </section>
  );
}

function NoCall() {
  const { baseUrl } = usePage().client.way;
  return (
    <span class="may-cut">
      No call yet.
      {baseUrl !== undefined && (
        <>
          {" "}
          Point your client at <code>{baseUrl}</code>
        </>
      )}
    </span>
  );
}

function Newest({ of: request }: { readonly of: RecordedRequest }) {
  const { code, kind, subject, words } = tell(request);
  return (
    <span class="may-cut" role="status">
      <span class="wide">
        <time class="mono">{toClock(request.time)}</time> {callName(request)}
        {subject !== undefined && " · "}
      </span>
      <bdi>{subject}</bdi>{" "}
      <span class={kind}>
        {code}
        {code !== undefined && <span class="wide">: </span>}
        <span class={code === undefined ? "" : "wide"}>{words}</span>
      </span>
    </span>
  );
}

interface EdgeProps {
  readonly height: number;
  readonly onHeight: (height: number) => void;
}

/** The upper edge of the list, which a mouse drags and the arrow keys move. */
function Edge({ height, onHeight }: EdgeProps) {
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
  readonly height: number;
  readonly isOfRefused: boolean;
}

function List({ height, isOfRefused, requests }: ListProps) {
  const { client, place } = usePage();
  const shown = requests.slice(-SHOWN).reverse();
  const chosen = requests.find(({ requestId }) => requestId === place.request);
  // A call that is asked for is shown, also if it is an old one.
  const all = chosen === undefined || shown.includes(chosen) ? shown : [...shown, chosen];
  return (
    <div class="scroll" style={{ height: `${height}px` }}>
      {requests.length === 0 && (
        <p class="empty">
          {isOfRefused ? (
            "No call was refused."
          ) : (
            <>
              <NoCall /> <Copy text={client.way.baseUrl} label="Copy the URL for clients" />
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
        <p class="empty">{`The newest ${all.length} of ${requests.length.toLocaleString("en")} calls.`}</p>
      )}
    </div>
  );
}
