import type * as z from "zod/mini";
import type { ErrorCode } from "./errors.ts";

/** An operation as data: everything that can be told without running it. */
export interface Contract<
  Input extends z.core.$ZodObject = z.core.$ZodObject,
  Output extends z.core.$ZodType = z.core.$ZodType,
> {
  /** `<group>.<operation>`, as the service names it. */
  readonly name: string;
  /** GET takes its input from the query, where everything is text, POST from a JSON body. */
  readonly method: "GET" | "POST";
  /** Matched to the letter. */
  readonly path: `/${string}`;
  /** One line for the OpenAPI document. Default: the name. */
  readonly summary?: string;
  /** What a call may send. Parsed synchronously; its phrases are what a client is told. */
  readonly input: Input;
  /** What a call is answered with, for the OpenAPI document. */
  readonly output: Output;
  /** The refusals that a client may meet, for the OpenAPI document. Default: all that it may. */
  readonly errors?: readonly ErrorCode[];
}

export function defineContract<Input extends z.core.$ZodObject, Output extends z.core.$ZodType>(
  contract: Contract<Input, Output>,
): Contract<Input, Output> {
  return contract;
}
