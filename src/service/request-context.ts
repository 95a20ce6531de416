import type { ApiError, ErrorCode } from "../contract/errors.ts";
import type { Fault } from "../faults/fault.ts";
import type { JournalEntry } from "../journal/recorded-request.ts";
import type { Operation } from "../operations/operation.ts";
import type { Workspace } from "../store/workspace.ts";
import type { Credentials } from "./credentials.ts";
import type { PlainReply, PlainRequest } from "./exchange.ts";
import type { Lifetime } from "../world/lifetime.ts";
import type { RequestTarget } from "./request-target.ts";
import type { World } from "../world/world.ts";

/** What is known of a request so far; the reply, the log line and the journal are made of it. */
export interface RequestContext {
  readonly world: World;
  /** Of the world, when the request came. */
  readonly lifetime: Lifetime;
  readonly resets: number;
  /** By the clock of the world, when the request came (unix milliseconds). */
  readonly time: number;
  /** By the clock of the machine, when the request came (milliseconds). */
  readonly start: number;
  readonly request: PlainRequest;
  readonly credentials: Credentials;
  /** What is served at its path; undefined for a path that leads to no operation. */
  readonly operation: Operation | undefined;
  readonly target: RequestTarget;
  readonly faults: Fault[];
  workspace?: Workspace;
  requestId?: string;
  /** The fault that decides what the request is answered with. */
  decidingFault?: Fault | undefined;
  /** Whether the operation takes this method. */
  isRouted?: boolean;
  /** Where it is recorded already, because a fault delays it. */
  entry?: JournalEntry;
  /** Whether who sent it only looks, and is no part of what is tested. */
  readonly isUnseen: boolean;
  /** What the operation returned. */
  output?: unknown;
}

/** How a request ended; of one that a fault still delays, as far as that is known. */
export interface Outcome {
  readonly status: number | undefined;
  readonly refusal: ApiError | undefined;
  /** The code in the body of the reply; plain text holds none. */
  readonly code: ErrorCode | undefined;
  /** Milliseconds. */
  readonly duration: number;
  /** What the client is told, before a fault distorts it; undefined where there is no reply. */
  readonly reply: PlainReply | undefined;
}

/** What a request that is unseen is answered with: it draws no id from those of the others. */
const UNSEEN_ID = `req_${"1".repeat(16)}`;

/** The id of a request, drawn when it is asked for first. */
export function requestIdOf(
  context: Pick<RequestContext, "isUnseen" | "world" | "workspace" | "requestId">,
): string {
  if (context.isUnseen) return UNSEEN_ID;
  const { store } = context.world;
  const { ids } = context.workspace ?? store;
  context.requestId ??= ids.next("req", store.clock.now());
  return context.requestId;
}
