import { useEffect, useState } from "preact/hooks";
import type { RecordedRequest } from "../../journal/recorded-request.ts";
import type { Client } from "./client.ts";
import { follow } from "./follow.ts";
import { isAborted, linesOf, Refused } from "./refused.ts";

export interface ApiState {
  readonly id: string;
  readonly name?: string;
  readonly keys: number;
  readonly keyspace: boolean;
  readonly storeEncryptedKeys: boolean;
}

export interface WorkspaceState {
  readonly id: string;
  readonly name?: string;
  readonly isIsolated: boolean;
  readonly quirks: readonly string[];
  readonly randomSeed: number;
  readonly apis: readonly ApiState[];
}

/** A fault as the control routes tell it. */
export interface FaultState {
  readonly id: string;
  readonly operation?: string;
  readonly hits: number;
  readonly isPending: boolean;
  readonly [member: string]: unknown;
}

export interface ClockState {
  readonly now: number;
  readonly frozen: boolean;
  /** When it was read, by the clock of this page. */
  readonly readAt: number;
}

/** What the emulator is like, as far as the page knows. */
export interface World {
  readonly workspace: WorkspaceState | undefined;
  readonly faults: readonly FaultState[];
  readonly clock: ClockState | undefined;
  /** The newest last. */
  readonly requests: readonly RecordedRequest[];
  readonly isLive: boolean;
  /** Why nothing can be shown. */
  readonly refused: Refused | undefined;
  /** Another one each time that something has changed. */
  readonly revision: number;
}

const nothing: World = {
  workspace: undefined,
  faults: [],
  clock: undefined,
  requests: [],
  isLive: false,
  refused: undefined,
  revision: 0,
};

/** As many as the emulator itself keeps. */
const MAX_REQUESTS = 1_000;
/** What changes is looked at no more often than this (ms), however much happens. */
const INTERVAL = 300;

/**
 * Follows the emulator while somebody may see it: a browser has few connections to a host, which all
 * of its tabs share.
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
    const requests = new Requests((list) => change({ requests: list }));
    const look = atMostEvery(INTERVAL, async () => {
      try {
        const state = { ...(await readState(client, end.signal)), refused: undefined };
        if (end.signal.aborted) return;
        setWorld((before) => ({ ...before, ...state, revision: before.revision + 1 }));
      } catch (error) {
        if (!isAborted(error)) change({ refused: toRefused(error) });
      }
    });
    void follow(
      client,
      {
        onOpen() {
          requests.clear();
          change({ isLive: true, refused: undefined });
        },
        onRequest: (request) => requests.add(request),
        onForgotten: () => requests.clear(),
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
  useEffect(() => {
    const onChange = () => setVisible(!document.hidden);
    document.addEventListener("visibilitychange", onChange);
    return () => document.removeEventListener("visibilitychange", onChange);
  }, []);
  return isVisible;
}

async function readState(client: Client, signal: AbortSignal) {
  const ask = <Answer>(call: string) => client.control<Answer>(call, undefined, signal);
  const [workspace, { faults }, clock] = await Promise.all([
    ask<WorkspaceState>("GET /workspace"),
    ask<{ faults: FaultState[] }>("GET /faults"),
    ask<Omit<ClockState, "readAt">>("GET /clock"),
  ]);
  return { workspace, faults, clock: { ...clock, readAt: Date.now() } };
}

function toRefused(error: unknown): Refused {
  return error instanceof Refused ? error : new Refused(0, linesOf(error));
}

/** Gathers what comes in between two frames: a test may make thousands of calls a second. */
class Requests {
  readonly #show: (requests: readonly RecordedRequest[]) => void;
  readonly #byId = new Map<string, RecordedRequest>();
  #isWaiting = false;

  constructor(show: (requests: readonly RecordedRequest[]) => void) {
    this.#show = show;
  }

  add(request: RecordedRequest): void {
    this.#byId.set(request.requestId, request);
    const [oldest] = this.#byId.keys();
    if (this.#byId.size > MAX_REQUESTS && oldest !== undefined) this.#byId.delete(oldest);
    this.#plan();
  }

  clear(): void {
    this.#byId.clear();
    this.#plan();
  }

  #plan(): void {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    setTimeout(() => {
      this.#isWaiting = false;
      this.#show([...this.#byId.values()]);
    }, 50);
  }
}

/** Runs at once, and once more at the end where it was asked for meanwhile. */
function atMostEvery(milliseconds: number, run: () => Promise<void>): () => void {
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

/** The emulator's time by now (unix milliseconds). */
export function timeOf({ frozen, now, readAt }: ClockState): number {
  return frozen ? now : now + Date.now() - readAt;
}
