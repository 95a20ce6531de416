import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import type { ClockState, FaultState, WorkspaceState } from "../../control/route-schemas.ts";
import type { Finding } from "../../world/findings/findings.ts";
import type { RecordedRequest } from "../../world/journal/recorded-request.ts";
import type { Client } from "./client.ts";
import { follow } from "./follow.ts";
import { isAborted, linesOf, Refused } from "./refused.ts";

/** The emulator's clock, and when it was read, by the clock of the browser (unix milliseconds). */
export type PageClock = ClockState & { readonly readAt: number };

/** The page's copy of the state of the emulator. */
export interface World {
  readonly workspace: WorkspaceState | undefined;
  readonly faults: readonly FaultState[];
  /** The oldest first. */
  readonly findings: readonly Finding[];
  readonly clock: PageClock | undefined;
  /** The newest last. */
  readonly requests: readonly RecordedRequest[];
  readonly isLive: boolean;
  /** The last refusal; undefined while calls succeed. */
  readonly refused: Refused | undefined;
  /** How often the page has read the state. */
  readonly revision: number;
}

const nothing: World = {
  workspace: undefined,
  faults: [],
  findings: [],
  clock: undefined,
  requests: [],
  isLive: false,
  refused: undefined,
  revision: 0,
};

/** As many as the emulator's journal keeps. */
const MAX_REQUESTS = 1_000;
/** The shortest time between two reads of the state (ms). */
const INTERVAL = 300;

/**
 * Follows the emulator while the tab is visible. A hidden tab disconnects, because a browser allows few
 * connections to a host for all of its tabs.
 */
export function useWorld(client: Client): World {
  const [world, setWorld] = useState(nothing);
  const isVisible = useVisibility();
  useEffect(() => {
    if (!isVisible) return undefined;
    const end = new AbortController();
    const change = (members: Partial<World>) => {
      if (!end.signal.aborted) setWorld((before) => ({ ...before, ...members }));
    };
    const byId = new Map<string, RecordedRequest>();
    // Shown every 50 ms, because a test may make thousands of calls a second.
    const show = atMostEvery(0, async () => {
      await new Promise((resolve) => setTimeout(resolve, 50));
      change({ requests: [...byId.values()] });
    });
    const clear = () => {
      byId.clear();
      show();
    };
    const look = atMostEvery(INTERVAL, async () => {
      try {
        const state = { ...(await readState(client, end.signal)), refused: undefined };
        if (end.signal.aborted) return;
        setWorld((before) => ({ ...before, ...state, revision: before.revision + 1 }));
      } catch (error) {
        if (isAborted(error)) return;
        change({ refused: error instanceof Refused ? error : new Refused(0, linesOf(error)) });
      }
    });
    void follow(
      client,
      {
        onOpen() {
          clear();
          change({ isLive: true, refused: undefined });
        },
        onRequest(request) {
          byId.set(request.requestId, request);
          const [oldest] = byId.keys();
          if (byId.size > MAX_REQUESTS && oldest !== undefined) byId.delete(oldest);
          show();
        },
        onForgotten: clear,
        onChange: look,
        onLost: (refused) => change(refused ? { isLive: false, refused } : { isLive: false }),
      },
      end.signal,
    );
    return () => end.abort();
  }, [client, isVisible]);
  return world;
}

function useVisibility(): boolean {
  const [isVisible, setVisible] = useState(!document.hidden);
  useLayoutEffect(() => {
    const onChange = () => setVisible(!document.hidden);
    document.addEventListener("visibilitychange", onChange);
    return () => document.removeEventListener("visibilitychange", onChange);
  }, []);
  return isVisible;
}

async function readState(client: Client, signal: AbortSignal) {
  const ask = <Answer>(call: string) => client.control<Answer>(call, undefined, signal);
  const [workspace, { faults }, { findings }, clock] = await Promise.all([
    ask<WorkspaceState>("GET /workspace"),
    ask<{ faults: FaultState[] }>("GET /faults"),
    ask<{ findings: Finding[] }>("GET /findings"),
    ask<ClockState>("GET /clock"),
  ]);
  return { workspace, faults, findings, clock: { ...clock, readAt: Date.now() } };
}

/**
 * Returns a function that runs a task at once. Calls during the task or the interval (ms) lead to one
 * more run afterwards.
 */
export function atMostEvery(milliseconds: number, run: () => Promise<void>): () => void {
  let isBusy = false;
  let isAsked = false;
  const start = async () => {
    isBusy = true;
    isAsked = false;
    await Promise.all([run(), new Promise((resolve) => setTimeout(resolve, milliseconds))]);
    isBusy = false;
    if (isAsked) void start();
  };
  return () => {
    isAsked = true;
    if (!isBusy) void start();
  };
}

/** The emulator's current time (unix milliseconds). */
export function timeOf({ frozen, now, readAt }: PageClock): number {
  return frozen ? now : now + Date.now() - readAt;
}
