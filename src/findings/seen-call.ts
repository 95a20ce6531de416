import { realNow } from "../base/real-timers.ts";
import type { ParsedInput } from "../contract/operation.ts";
import type { VersionName } from "../contract/version.ts";

/** A connection over which requests of one client came. Nothing but its identity counts. */
export type Connection = object;

/** A finished call, as far as rules look at it. */
export interface SeenCall {
  readonly requestId: string;
  readonly version: VersionName;
  /** Like `keys.createKey`; undefined if no operation has the path. */
  readonly operation: string | undefined;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  /** Undefined if it was too large. */
  readonly body: Uint8Array | undefined;
  /** What a refused call says about its body: content type and encoding. */
  readonly bodyFormat: string | undefined;
  /** Why the call was refused. */
  readonly refusal: string | undefined;
  readonly token: string;
  /** Undefined if the effect of a fault kept the reply from the client, or the body of a success. */
  readonly status: number | undefined;
  /** Of the reply. */
  readonly headers: Readonly<Record<string, string>>;
  /** The input, as the schema of the operation parsed it; undefined if it was refused before. */
  readonly input: ParsedInput | undefined;
  /** Paths of members that the service ignored. */
  readonly unknown: readonly string[];
  /** The cursor for the next page, in the reply. */
  readonly nextCursor: string | undefined;
  /** Whether a fault kept the reply from the client after the operation took effect. */
  readonly isLost: boolean;
  /** How many calls had ended when it arrived. */
  readonly endedBefore: number;
  /** Undefined in process. */
  readonly connection: Connection | undefined;
}

/** A moment by three clocks, each in milliseconds. */
export interface Instant {
  readonly real: number;
  /** `Date.now()`, which fake timers of a test move. */
  readonly date: number;
  readonly emulated: number;
}

/** A call that a rule remembers, to compare later ones with it. */
export interface Remembered {
  readonly call: SeenCall;
  /** How many calls had ended by then, including it. A call whose `endedBefore` is lower arrived earlier. */
  readonly ended: number;
  readonly at: Instant;
}

/**
 * How much time passed between two moments, in milliseconds, by the clock that moved most. A client may
 * have waited by any of them.
 */
export function elapsed(from: Instant, to: Instant): number {
  return Math.max(to.real - from.real, to.date - from.date, to.emulated - from.emulated);
}

/**
 * Calls that a client sent together arrive within this time over HTTP, in milliseconds, even if the
 * machine is busy.
 */
const TOGETHER = 50;

/**
 * Whether the client surely had the reply to an earlier call when it sent this one. Calls that it sent
 * together say nothing about how it takes a reply. Over HTTP, only the same connection or time tells
 * them apart: a new connection may have waited to be accepted, and the `fetch` of Node takes turns
 * between two connections.
 */
export function isSentAfter(call: SeenCall, { at, call: earlier, ended }: Remembered): boolean {
  if (call.endedBefore < ended) return false;
  const { connection } = call;
  if (connection === undefined || connection === earlier.connection) return true;
  return realNow() - at.real > TOGETHER;
}

/** Longer bodies and queries are not compared, so that little memory is needed. */
const MAX_LENGTH = 2_000;

/** Whether a rule can remember the call: its body is known, and it is not too long. */
export function isShort({ body, query }: SeenCall): boolean {
  return body !== undefined && body.length + query.length <= MAX_LENGTH;
}

/** Whether two calls are the same, byte for byte. */
export function isSameCall(one: SeenCall, other: SeenCall): boolean {
  return (
    one.path === other.path &&
    one.method === other.method &&
    one.query === other.query &&
    isSameBody(one.body, other.body)
  );
}

function isSameBody(one: SeenCall["body"], other: SeenCall["body"]): boolean {
  if (one === undefined || other === undefined || one.length !== other.length) return false;
  // Several times faster than `every`.
  for (let index = 0; index < one.length; index += 1) {
    if (one[index] !== other[index]) return false;
  }
  return true;
}

/** The operation, or the method and path of a call that no operation answers. */
export function nameOf({ method, operation, path }: SeenCall): string {
  return operation ?? `${method} ${path}`;
}
