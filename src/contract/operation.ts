import type * as z from "zod/mini";
import type { ErrorCode } from "./errors.ts";

/** An operation of the interface as data: everything that can be told without running it. */
export interface Contract<
  Input extends z.ZodMiniObject = z.ZodMiniObject,
  Output extends z.ZodMiniType = z.ZodMiniType,
> {
  /** `<group>.<operation>`, as the service names it. */
  readonly name: string;
  /** GET takes its input from the query, POST from a JSON body. */
  readonly method: "GET" | "POST";
  readonly path: `/${string}`;
  readonly summary: string;
  readonly input: Input;
  readonly output: Output;
  /** The refusals that a client may meet, for the OpenAPI document. */
  readonly errors: readonly ErrorCode[];
}

export function defineContract<Input extends z.ZodMiniObject, Output extends z.ZodMiniType>(
  contract: Contract<Input, Output>,
): Contract<Input, Output> {
  return contract;
}
