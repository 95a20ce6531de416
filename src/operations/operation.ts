import type * as z from "zod/mini";
import type { Contract } from "../contract/operation.ts";
import type { Workspace } from "../store/workspace.ts";

/** What an operation is called with. It sees no request, and nothing outside its workspace. */
export interface Call<Input> {
  readonly workspace: Workspace;
  readonly input: Input;
}

export interface Requirement {
  /** Permissions of which a token needs one. */
  readonly oneOf: readonly string[];
  /** Why, where it does not follow from the operation. */
  readonly because?: string;
}

export interface Operation<
  Input extends z.ZodMiniObject = z.ZodMiniObject,
  Output extends z.ZodMiniType = z.ZodMiniType,
> {
  readonly contract: Contract<Input, Output>;
  /** What the token needs for this call; one permission of each requirement. */
  requires(call: Call<z.output<Input>>): readonly Requirement[];
  /**
   * Does the work and returns the response body.
   * @throws ApiError for what the service refuses; nothing may have been written by then
   */
  run(call: Call<z.output<Input>>): z.input<Output> | Promise<z.input<Output>>;
}

/** Types the two functions by the contract, and lets the operation stand in a table of others. */
export function defineOperation<Input extends z.ZodMiniObject, Output extends z.ZodMiniType>(
  operation: Operation<Input, Output>,
): Operation {
  return operation as unknown as Operation;
}
