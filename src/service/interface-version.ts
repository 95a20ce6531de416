import type { ApiError, ErrorCode } from "../contract/errors.ts";
import type { ParsedInput } from "../contract/operation.ts";
import type { Quirks } from "../contract/quirks.ts";
import type { ProblemType } from "../contract/v2/problem.ts";
import type { VersionName } from "../contract/version.ts";
import type { DemandRefusal, Operation, Requirement } from "../operations/operation.ts";
import type { Access } from "../store/store.ts";
import type { World } from "../world/world.ts";
import type { PlainReply } from "./reply.ts";
import type { Credentials, PlainRequest } from "./request.ts";

/** Requirements that were demanded together, of which a token does not meet all. */
interface UnmetRequirements {
  readonly demanded: readonly Requirement[];
  /** The requirements that the token does not meet. */
  readonly missing: readonly Requirement[];
}

/** What the checks of a version need to know of a request (`RequestContext`). */
export interface UncheckedCall {
  readonly request: PlainRequest;
  readonly credentials: Credentials;
  readonly world: World;
  readonly quirks: Quirks;
  /** Whether unknown members are refused. */
  readonly strict: boolean;
}

/** The input of an operation, as its schema parsed it. */
export interface ReadInput {
  readonly value: ParsedInput;
  /** Paths of unknown members, like `refill.foo`, which are ignored. */
  readonly unknown: readonly string[];
}

/** The result of the checks of a version. */
export interface CheckedCall {
  readonly access: Access;
  readonly input: ReadInput;
}

/** The headers of a request; an error reply depends on `Accept`. */
type Accepting = Pick<PlainRequest, "header">;

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
   * The checks before those of the operation, in the service's order.
   * @throws ApiError for a token that is not accepted, and for an input that the contract refuses
   */
  check(operation: Operation, call: UncheckedCall): CheckedCall;
  /** The refusal of a token that does not meet all requirements. */
  refuseRequirements(unmet: UnmetRequirements, refusal: DemandRefusal | undefined): ApiError;
  /**
   * How the journal and the log label a refusal: by its code in v1, by its type in v2.
   * @param isRouted whether an operation has this path and method
   */
  labelsOf(
    refusal: ApiError,
    isRouted: boolean,
  ): { readonly code: ErrorCode | undefined; readonly type: ProblemType | undefined };
  /** The reply with the result of an operation. */
  succeed(requestId: string, output: unknown): PlainReply;
  /** The error reply of an operation. */
  refuse(requestId: string, refusal: ApiError, request: Accepting): PlainReply;
  /**
   * The error reply for a path or method that no operation has.
   * @param isPlain whether it is that of the service's router, for the quirk `plain-404`
   */
  refuseRoute(
    requestId: string,
    refusal: ApiError,
    request: Accepting,
    isPlain: boolean,
  ): PlainReply;
}
