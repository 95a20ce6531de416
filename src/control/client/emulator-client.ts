import type { KeyState } from "../record-kinds.ts";
import type { KeyFilter, RecordFilter } from "../record-routes.ts";
import type { ClockState, FaultState } from "../route-schemas.ts";
import type { FaultInit, Input } from "../../faults/fault.ts";
import type { Finding } from "../../world/findings/findings.ts";
import type { EmulatorNeedsOptions, TokenNeeds } from "../../world/journal/needed-permissions.ts";
import type { Usage, UsageQuery } from "../../state/usage/usage.ts";
import type { RecordedRequest } from "../../world/journal/recorded-request.ts";
import type { CountedFilter, RequestFilter } from "../../world/journal/request-filter.ts";
import type { Requests } from "../../world/journal/journal.ts";
import type { Fixture } from "../../seed/format.ts";
import type { KindName } from "../../state/records/kind-names.ts";
import type { RecordOf } from "../../state/kinds.ts";
import type { Duration, Time } from "../../state/time/time-text.ts";
import type { EmulatorResetOptions } from "../../world/settings.ts";

/** The options of `connect`. */
export interface ConnectOptions {
  /** The token of your program. With isolation, it picks the workspace. */
  readonly token?: string | undefined;
  /** The control token. If given, it is sent instead of `token`. */
  readonly controlToken?: string | undefined;
}

/** The records of the workspace, to read them. Change them with `seed` and `restore`. */
type RemoteCollections = {
  readonly [Kind in Exclude<KindName, "keys" | "tokens">]: RemoteRecords<RecordOf<Kind>>;
};

/** What a test controls of a running latchkey, over HTTP. */
export interface EmulatorClient extends RemoteCollections {
  /** The base URL, without a slash at its end. */
  readonly url: string;
  readonly clock: RemoteClock;
  readonly faults: RemoteFaults;
  /** The last 1,000 requests, the newest last. */
  readonly requests: RemoteRequests;
  /** Mistakes in how clients call the service. */
  readonly findings: RemoteFindings;
  /**
   * The least permissions that each token needs for the calls that it made since the last reset. With
   * `all`, it counts all calls since the start.
   */
  neededPermissions(options?: EmulatorNeedsOptions): Promise<TokenNeeds[]>;
  readonly keys: RemoteKeys;
  /**
   * How often keys were verified, by day (UTC) and outcome. Rejects for an invalid query, and for an API,
   * a key or an owner that does not exist.
   */
  usage(query?: UsageQuery): Promise<Usage>;
  /** Brings back exactly the initial state, with an empty journal and no findings. */
  reset(options?: EmulatorResetOptions): Promise<void>;
  /**
   * Marks the end of a test's set-up: a sweep spoils no call before it, and a program that fails has to
   * leave the records of that time. Rejects for a second mark without a reset between them.
   */
  mark(): Promise<void>;
  /** Adds the records and faults of a fixture. `reset` removes them again. */
  seed(fixture: Fixture): Promise<void>;
  /** All records as a fixture, which `restore` and `createEmulator` take. */
  snapshot(): Promise<Fixture>;
  /**
   * Replaces all records with a snapshot or any other fixture. With `initial`, `reset` brings them back
   * from then on, and clock, faults and journal start over, as `reseed` does in process.
   */
  restore(snapshot: Fixture, options?: { readonly initial?: boolean }): Promise<void>;
  /**
   * A client that sends this token. With isolation, it controls the workspace of that token. Without
   * isolation, all tokens share one workspace.
   */
  workspace(token: string): EmulatorClient;
}

/** The clock of an emulator. Each change resolves to the clock after it. */
export interface RemoteClock {
  get(): Promise<ClockState>;
  /** Jumps to a time, which may be in the past; `"real"` follows the real time again, running. */
  set(time: Time): Promise<ClockState>;
  /** Moves forward: by milliseconds, or text like `90s`, `5m`, `1h`, `2d`. */
  advance(duration: Duration): Promise<ClockState>;
  /** Stops at the current time. */
  freeze(): Promise<ClockState>;
  /** Runs again, from the current time of the clock. */
  resume(): Promise<ClockState>;
}

/** A fault to add. Unlike in process, `match` cannot be a function. */
export type RemoteFaultInit = Omit<FaultInit, "match"> & { readonly match?: Input | undefined };

/** A fault of an emulator at the time of the call. */
export type RemoteFault = FaultState;

/** The faults of an emulator. */
export interface RemoteFaults {
  /** Adds a fault. From now on it is applied, to `times` calls or until it is removed. */
  add(init: RemoteFaultInit): Promise<RemoteFault>;
  /** All faults, including those that have hit `times` calls. */
  list(): Promise<RemoteFault[]>;
  /** The faults that have hit fewer calls than `times` (default: 1). */
  pending(): Promise<RemoteFault[]>;
  /** Removes a fault. Rejects if there is none with this id. */
  remove(fault: Pick<RemoteFault, "id">): Promise<void>;
  clear(): Promise<void>;
}

/** Selects requests. Unlike in process, `match` cannot be a function. */
export type RemoteFilter = Omit<RequestFilter, "match"> & { readonly match?: Input | undefined };

/** The journal of an emulator. */
export interface RemoteRequests {
  /**
   * The requests that match the filter. Without a filter, the last 1,000. Rejects if the journal has
   * forgotten requests that may match, as `find`, and `count` with `match`.
   */
  list(filter?: RemoteFilter): Promise<RecordedRequest[]>;
  /** The oldest request that matches the filter. */
  find(filter?: RemoteFilter): Promise<RecordedRequest | undefined>;
  /** How many requests match the filter, also of those that the journal has forgotten. */
  count(filter?: RemoteFilter): Promise<number>;
  clear(): Promise<void>;
  /**
   * Resolves to the requests that match the filter, once there are at least `count` of them (default: 1).
   * Rejects if the time is up, and if the emulator is reset before.
   * @param timeout in real time: milliseconds, or text like `2s`; at most a minute. Default: 5,000
   */
  waitFor(
    filter: RemoteFilter & Pick<CountedFilter, "count">,
    timeout?: Duration,
  ): Promise<Requests>;
}

/** The findings of an emulator. */
export interface RemoteFindings {
  /** The first 1,000, the oldest first. */
  list(): Promise<Finding[]>;
  clear(): Promise<void>;
}

/** The records of one kind, to read them. */
export interface RemoteRecords<Item, Filter extends object = RecordFilter> {
  /** Every record that matches. Default: all of them. */
  all(filter?: Filter): Promise<Item[]>;
  /** The record with this id; undefined if there is none. */
  get(id: string): Promise<Item | undefined>;
}

/** A key, without its value. The external id of its owner is `ownerId`, and its uses are `remaining`. */
export type RemoteKey = Readonly<KeyState>;

/** The keys of a workspace, to read them. */
export interface RemoteKeys extends RemoteRecords<RemoteKey, KeyFilter> {
  /** The key with this value, even if it is not recoverable; undefined if there is none. */
  findByValue(value: string): Promise<RemoteKey | undefined>;
}
