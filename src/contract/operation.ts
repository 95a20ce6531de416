import type { ErrorCode } from "./errors.ts";
import { quickReader, type QuickReader } from "../schema/quick-reader.ts";
import type { Schema } from "../schema/schema.ts";

export type ObjectSchema = Schema<"object">;
/** What one puts into a schema, and what comes out of it. */
export type InputOf<Of extends Schema> = Of["_zod"]["input"];
export type OutputOf<Of extends Schema> = Of["_zod"]["output"];

/** An operation as data: everything that can be told without running it. */
export interface Contract<
  Input extends ObjectSchema = ObjectSchema,
  Output extends Schema = Schema,
> {
  /** `<group>.<operation>`, as the service names it. */
  readonly name: string;
  /** GET takes its input from the query, where everything is text, POST from a JSON body. */
  readonly method: "GET" | "POST";
  /** Matched to the letter. */
  readonly path: `/${string}`;
  /** One line for the OpenAPI document. Default: the name. */
  readonly summary?: string;
  /** What the OpenAPI document says beyond that, in Markdown. Default: the summary. */
  readonly description?: string;
  /** What a call may send. Parsed synchronously; its phrases are what a client is told. */
  readonly input: Input;
  /** What a call is answered with, for the OpenAPI document. */
  readonly output: Output;
  /** The refusals that a client may meet, for the OpenAPI document. Default: all that it may. */
  readonly errors?: readonly ErrorCode[];
}

export function defineContract<Input extends ObjectSchema, Output extends Schema>(
  contract: Contract<Input, Output>,
): Contract<Input, Output> {
  ours.add(contract.input);
  return contract;
}

/** Inputs of contracts that are written here; how a user's zod is made inside is not known. */
const ours = new WeakSet<ObjectSchema>();

/** A quicker way to read the input of a contract, where there is one. */
export function quickReaderOf({ input }: Contract): QuickReader<unknown> | undefined {
  return ours.has(input) ? quickReader(input) : undefined;
}
