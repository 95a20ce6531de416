import type { ApiError, ErrorCode } from "../api/errors.ts";
import type { Quirks } from "../api/quirks.ts";
import type { ProblemType } from "../api/v2/problem.ts";
import type { Fault } from "../faults/fault.ts";
import type { Mask } from "../base/wording/mask.ts";
import type { CallRights } from "../world/journal/needed-permissions.ts";
import type { JournalEntry } from "../world/journal/recorded-request.ts";
import type { DemandRefusal, Operation, Requirement } from "./operations/operation.ts";
import type { PlainReply } from "./reply.ts";
import type { Credentials, PlainRequest } from "./request.ts";
import type { Lifetime } from "../base/lifetime.ts";
import type { World } from "../world/world.ts";
import type { ParsedInput } from "../api/operation.ts";
import type { VersionName } from "../api/version.ts";
import type { Access } from "../state/store.ts";

/**
 * Everything known about a request, for the reply, the log entry and the journal entry. Members that are
 * not readonly are set while it is answered, in this order.
 */
export interface RequestContext {
  readonly world: World;
  /** The lifetime of the world when the request arrived; it ends when the state is replaced. */
  readonly lifetime: Lifetime;
  /** How often the world had been reset when the request arrived. */
  readonly resets: number;
  /** When the request arrived, by the world's clock (unix milliseconds). */
  readonly time: number;
  /** When the request arrived, by `performance.now()`, in milliseconds. */
  readonly startedAt: number;
  readonly request: PlainRequest;
  readonly credentials: Credentials;
  /** Masks the secrets of the world, and the token that the client sent. */
  readonly mask: Mask;
  /** The operation at its path, with any method; undefined if there is none. */
  readonly operation: Operation | undefined;
  /** The version of the interface to which the operation or the path belongs. */
  readonly version: InterfaceVersion;
  readonly quirks: Quirks;
  readonly strict: boolean;
  readonly faults: Fault[];
  /** From the world's sequence of ids. An unseen request has `UNSEEN_ID`. */
  readonly requestId: string;
  /** Whether it leaves no trace: it has `UNSEEN_HEADER` and changes nothing, or asks for liveness. */
  readonly isUnseen: boolean;
  /** Whether there is an operation for both path and method (`route.ts`). */
  isRouted?: boolean;
  input?: ReadInput;
  /** The permissions that it needed; undefined if it did not reach an operation (`access.ts`). */
  rights?: CallRights;
  /** The fault that decides the reply (`apply-faults.ts`). */
  decidingFault?: Fault;
  /** The journal entry of a request that was recorded already because a fault delays it. */
  entry?: JournalEntry;
  /** Headers that the operation added to the reply, one for each `setHeader` of its call. */
  headers?: readonly Readonly<Record<string, string>>[];
  output?: unknown;
  /** Why the call was answered as it was, for a reply that is no refusal. */
  hint?: string | undefined;
  /** Whether the hint only repeats what was sent or answered. */
  isEcho?: boolean;
  refusal?: ApiError;
}

/** How a request ended. While a fault delays the request, everything but the duration is undefined. */
export interface RequestEnd {
  readonly status: number | undefined;
  readonly refusal: ApiError | undefined;
  /** The error code in the body of a refusal of v1; undefined in v2, and if the body is plain text. */
  readonly code: ErrorCode | undefined;
  /** The type of the problem in the body of the reply, in v2. */
  readonly type: ProblemType | undefined;
  /** Milliseconds. */
  readonly duration: number;
  /** The reply before the effect of a fault; undefined if the client gets none. */
  readonly reply: PlainReply | undefined;
}

/** The part of a request that the checks of a version look at. */
export type UncheckedCall = Pick<
  RequestContext,
  "credentials" | "quirks" | "request" | "strict" | "world"
>;

export interface ReadInput {
  readonly value: ParsedInput;
  /** Paths of unknown members, like `refill.foo`, which are ignored. */
  readonly unknown: readonly string[];
}

export interface CheckedCall {
  readonly access: Access;
  readonly input: ReadInput;
}

/** Everything about the answer to a request that differs between versions of the interface. */
export interface InterfaceVersion {
  readonly name: VersionName;
  /** Matches an `Authorization` header with a bearer token; its first group is the token. */
  readonly bearer: RegExp;
  /**
   * Whether the path of an operation accepts any OPTIONS request. Otherwise it accepts only the preflight
   * of a browser.
   */
  readonly takesOptions: boolean;
  /**
   * The checks before the operation's, in the service's order.
   * @throws ApiError for a token that is not accepted, and for an input that the contract refuses
   */
  check(operation: Operation, call: UncheckedCall): CheckedCall;
  /**
   * The refusal of a token that lacks a requirement, whose alternatives begin with a URN.
   * @param hint names a permission of the token that grants nothing
   */
  refuseRequirements(
    unmet: { readonly demanded: readonly Requirement[]; readonly missing: readonly Requirement[] },
    refusal: DemandRefusal | undefined,
    hint: string | undefined,
  ): ApiError;
  /**
   * How the journal and the log label a refusal: by its code in v1, by its type in v2.
   * @param isRouted whether an operation has this path and method
   */
  labelsOf(
    refusal: ApiError,
    isRouted: boolean,
  ): { readonly code: ErrorCode | undefined; readonly type: ProblemType | undefined };
  succeed(requestId: string, output: unknown): PlainReply;
  refuse(requestId: string, refusal: ApiError, request: Pick<PlainRequest, "header">): PlainReply;
  /**
   * The error reply for a path or method that no operation has.
   * @param isPlain whether it has the form of the service's router, for the quirk `plain-404`
   */
  refuseRoute(
    requestId: string,
    refusal: ApiError,
    request: Pick<PlainRequest, "header">,
    isPlain: boolean,
  ): PlainReply;
}
