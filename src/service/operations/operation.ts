import type { ApiErrorDetails, ErrorCode } from "../../api/errors.ts";
import { NO_QUIRKS, type Quirks } from "../../api/quirks.ts";
import type { RefusedAnswer } from "../../api/outcomes.ts";
import { type VersionName, versions } from "../../api/version.ts";
import type { ProblemType } from "../../api/v2/problem.ts";
import type {
  Contract,
  InputOf,
  InputSchema,
  OutputOf,
  ServedContract,
} from "../../api/operation.ts";
import type { Steps } from "../../base/steps.ts";
import { lazily } from "../../base/lazily.ts";
import type { Schema } from "../../schema/schema.ts";
import type { NeededRight } from "../../api/urn.ts";
import type { Key } from "../../state/keys/key.ts";
import type { Workspace } from "../../state/workspace.ts";

/**
 * The arguments of an operation: its parsed input and the workspace of the token. `Space` is the type
 * of the workspace; users' operations get a public one (`own-operation.ts`).
 */
export interface Call<Input, Space = Workspace> {
  readonly workspace: Space;
  /** The output of the contract's input schema. */
  readonly input: Input;
  /**
   * Whether the call comes from a tool that only watches, like the web page. It must not change the
   * results of other calls, so it fills no cache that they could notice. Default: false.
   */
  readonly isUnseen?: boolean;
}

/** A call whose token has the permissions that `requires` named. */
export interface AdmittedCall<Input, Space = Workspace> extends Call<Input, Space> {
  /**
   * Requires more permissions while the operation runs, because they depend on the state or the service
   * checks them late. Call it before you write anything.
   * @throws ApiError with INSUFFICIENT_PERMISSIONS, or as `refusal` says. v1 names the missing
   *   permissions, v2 all that were demanded
   */
  demand(requirements: readonly Requirement[], refusal?: DemandRefusal): void;
  /**
   * Whether the token has these permissions, for a call that gets another answer without them. As with
   * `demand`, they are reported as permissions that the call needs.
   */
  meets(requirements: readonly Requirement[]): boolean;
  /**
   * Whether the token has these permissions. Use it to decide what a hint may reveal: they are not
   * reported.
   */
  may(requirements: readonly Requirement[]): boolean;
  /**
   * What the token lacks of these permissions, like `the token needs …`, for a hint. It names no record
   * that the operation found. Undefined if the token has them.
   */
  lacking(requirements: readonly Requirement[]): string | undefined;
  /** All workspaces, for an operation that needs no token. */
  readonly workspaces: readonly Space[];
  /** The id of the request, which is also in the reply. */
  readonly requestId: string;
  /**
   * Adds advice that the real service would not give, which is sent as the header `X-Latchkey-Hint`. With
   * `isEcho`, it only repeats what was sent or answered, so a log of warnings leaves it out.
   */
  advise(hint: string, details?: Pick<ApiErrorDetails, "isEcho">): void;
  /** The refusal that a fault forces on `keys.verifyKey` or a rate limit. Default: the operation decides. */
  readonly answer?: RefusedAnswer;
  /**
   * Adds a header to the reply.
   * @throws TypeError for a header that is not printable ASCII, or that the emulator sets itself
   */
  setHeader(name: string, value: string): void;
}

/** The error if the token lacks a permission, instead of INSUFFICIENT_PERMISSIONS. */
export interface DemandRefusal {
  readonly code: ErrorCode;
  /** Default: the usual status of the code. */
  readonly status?: number;
  /** Default: a message that names the permissions. With another message, the hint names them. */
  readonly message?: string;
  /** The type of the problem in v2. Default: follows from the code. */
  readonly type?: ProblemType;
}

/** A call needs one of these permissions, or a URN that means the same. */
export interface Requirement extends NeededRight {
  /** The reason, for the error message. Not needed if the operation makes it obvious. */
  readonly because?: string;
}

/**
 * What users' operations of one world keep between calls, by the function that created it
 * (`own-operation.ts`).
 */
export type OperationStates = Map<() => unknown, unknown>;

/** An operation: its contract, and the code that runs it. */
export interface Operation<
  Input extends InputSchema = InputSchema,
  Output extends Schema = Schema,
  Space = Workspace,
> {
  readonly contract: ServedContract<Input, Output>;
  /** Whether a user has defined it. Default: false. */
  readonly isOwn?: boolean;
  /**
   * The permissions that the token needs before the call runs. They are checked before anything is
   * looked up, so a token without them cannot find out which APIs exist. Default: none.
   */
  requires?(call: Call<OutputOf<Input>, Space>, states: OperationStates): readonly Requirement[];
  /**
   * Does the work and returns the body of the reply, in v2 without `meta`. Work that grows with the world
   * is done in steps. Other requests may be answered between two of them, so it looks at a state that does
   * not change, and writes in the last step only.
   * @throws ApiError for a refusal; throw it before you write anything
   */
  run(
    call: AdmittedCall<OutputOf<Input>, Space>,
    states: OperationStates,
  ): Result<Output> | Promise<Result<Output>> | Steps<Result<Output>>;
}

/** The result of an operation. In v2, `data` may be raw JSON, because the emulator adds `meta`. */
export type Result<Output extends Schema> =
  | InputOf<Output>
  | RawJson
  | (Omit<InputOf<Output>, "data"> & { readonly data: RawJson });

/**
 * The definition of an operation of latchkey. Its path follows from version and name. Most test files
 * use few operations, so a schema is made when it is first needed.
 */
interface Definition<Input extends InputSchema, Output extends Schema>
  extends
    Omit<Contract, "input" | "method" | "name" | "output" | "path" | "version">,
    Pick<Operation<Input, Output>, "requires" | "run"> {
  /** Default: POST. */
  readonly method?: "GET";
  /** The argument is for schemas that quirks change. */
  input(quirks: Quirks): Input;
  output(quirks: Quirks): Output;
}

/** An operation of latchkey. */
export interface BuiltIn extends Operation {
  /** The operation with the schemas that it has with these quirks. */
  withQuirks(quirks: Quirks): Operation;
}

/** Defines an operation of v1. The types of `requires` and `run` follow from the schemas. */
export const operationOfV1: Define = (name, definition) => operationOf("v1", name, definition);

/** Defines an operation of v2. `run` returns an object with `data`, and perhaps `pagination`. */
export const operationOfV2: Define = (name, definition) => operationOf("v2", name, definition);

type Define = <Input extends InputSchema, Output extends Schema>(
  name: Contract["name"],
  definition: Definition<Input, Output>,
) => BuiltIn;

function operationOf<Input extends InputSchema, Output extends Schema>(
  version: VersionName,
  name: Contract["name"],
  definition: Definition<Input, Output>,
): BuiltIn {
  const { input, method = "POST", output, requires, run, ...more } = definition;
  const path = `${versions[version].prefix}${name}` as const;
  const withQuirks = (quirks: Quirks) => {
    const inputOnce = lazily(() => input(quirks));
    const outputOnce = lazily(() => output(quirks));
    const contract: ServedContract<Input, Output> = {
      ...more,
      name,
      version,
      method,
      path,
      get input() {
        return inputOnce();
      },
      get output() {
        return outputOnce();
      },
    };
    return { contract, requires, run } as unknown as Operation;
  };
  return { ...withQuirks(NO_QUIRKS), withQuirks };
}

/**
 * The requirement for an action on an API. For `create_key` a token needs `api.*.create_key` or
 * `api.<apiId>.create_key`.
 */
export function onApi(apiId: string, action: string): Requirement {
  return { oneOf: [`api.*.${action}`, `api.${apiId}.${action}`] };
}

/** The requirement for an action on one key. */
export function onKey({ apiId, id }: Pick<Key, "apiId" | "id">, action: string): Requirement {
  return { oneOf: [`api.*.${action}`, `api.${apiId}.${action}`], recordId: id };
}

/** @param overrideId the override that the call names; undefined if it names none */
export function onNamespace(
  { id }: { readonly id: string },
  action: string,
  overrideId?: string,
): Requirement {
  return { oneOf: [`ratelimit.${id}.${action}`, `ratelimit.*.${action}`], recordId: overrideId };
}

/** The requirement for a call that names a namespace that does not exist. */
export const createNamespace: Requirement = { oneOf: ["ratelimit.*.create_namespace"] };

/** @param recordId the id of the role or the permission; undefined if the call names none */
export function onRoles(action: string, recordId?: string): Requirement {
  return { oneOf: [`rbac.*.${action}`], recordId };
}

/** A part of a body. A string must be ASCII, so that its length is its size in bytes. */
export type Piece = string | Uint8Array;

/**
 * The body of a reply as JSON in consecutive pieces. An operation returns it instead of an object, to
 * send JSON from a cache without a copy. The pieces must not change afterwards.
 */
export class RawJson {
  readonly pieces: readonly Piece[];
  /** The journal records this instead of the pieces, so that they do not stay in memory. */
  readonly summary: object;

  constructor(pieces: readonly Piece[], summary: object) {
    this.pieces = pieces;
    this.summary = summary;
  }
}
