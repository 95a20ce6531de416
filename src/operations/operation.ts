import type { ErrorCode } from "../contract/errors.ts";
import type { Contract, InputOf, ObjectSchema, OutputOf } from "../contract/operation.ts";
import type { Schema } from "../schema/schema.ts";
import type { Workspace } from "../store/workspace.ts";
import type { RawJson } from "./raw-json.ts";

/** What an operation is called with. It sees no request, and nothing outside its workspace. */
export interface Call<Input> {
  readonly workspace: Workspace;
  readonly input: Input;
  /** Whether the caller only looks: then nothing may be kept that others come to see. */
  readonly isUnseen?: boolean;
}

/** A call whose token has what the operation requires, so that the work may begin. */
export interface AdmittedCall<Input> extends Call<Input> {
  /**
   * Demands more of the token while the operation runs, for what is known only by then, or what the
   * service checks only then. Call it before anything is written.
   * @throws ApiError INSUFFICIENT_PERMISSIONS, or as `refusal` says, that names all that is missing
   */
  demand(requirements: readonly Requirement[], refusal?: DemandRefusal): void;
}

/** How a demand is refused where that is not with INSUFFICIENT_PERMISSIONS. */
export interface DemandRefusal {
  readonly code: ErrorCode;
  /** Default: that of the code. */
  readonly status?: number;
}

export interface Requirement {
  /** Permissions of which a token needs one. */
  readonly oneOf: readonly string[];
  /** Why, where it does not follow from the operation. */
  readonly because?: string;
}

export interface Operation<
  Input extends ObjectSchema = ObjectSchema,
  Output extends Schema = Schema,
> {
  readonly contract: Contract<Input, Output>;
  /**
   * What the token needs for this call before it runs; one permission of each requirement. It is
   * asked for before anything is looked up, so also for what does not exist.
   */
  requires(call: Call<OutputOf<Input>>): readonly Requirement[];
  /**
   * Does the work and returns the response body.
   * @throws ApiError for what the service refuses; nothing may have been written by then
   */
  run(
    call: AdmittedCall<OutputOf<Input>>,
  ): InputOf<Output> | RawJson | Promise<InputOf<Output> | RawJson>;
}

/** An operation as it is written down; without `requires`, any token may call it. */
export type OperationDefinition<Input extends ObjectSchema, Output extends Schema> = Omit<
  Operation<Input, Output>,
  "requires"
> &
  Partial<Pick<Operation<Input, Output>, "requires">>;

/**
 * Types the two functions by the contract, and lets the operation stand in a list of others. Its
 * schemas are made with zod 4, `zod` or `zod/mini`.
 */
export function defineOperation<Input extends ObjectSchema, Output extends Schema>(
  definition: OperationDefinition<Input, Output>,
): Operation {
  return { ...definition, requires: definition.requires ?? (() => []) } as unknown as Operation;
}
