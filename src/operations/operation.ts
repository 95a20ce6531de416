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
  Input extends z.core.$ZodObject = z.core.$ZodObject,
  Output extends z.core.$ZodType = z.core.$ZodType,
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

/** An operation as it is written down; without `requires`, any token may call it. */
export type OperationDefinition<
  Input extends z.core.$ZodObject,
  Output extends z.core.$ZodType,
> = Omit<Operation<Input, Output>, "requires"> &
  Partial<Pick<Operation<Input, Output>, "requires">>;

/**
 * Types the two functions by the contract, and lets the operation stand in a list of others. Its
 * schemas are made with zod 4, `zod` or `zod/mini`.
 */
export function defineOperation<Input extends z.core.$ZodObject, Output extends z.core.$ZodType>(
  definition: OperationDefinition<Input, Output>,
): Operation {
  return { requires: () => [], ...definition } as unknown as Operation;
}
