import type { ErrorCode } from "./errors.ts";
import type { Schema } from "../schema/schema.ts";
import { versionAt, type VersionName } from "./version.ts";

export type ObjectSchema = Schema<"object">;
/** The schema of an input: an object, or a list where a call stands for several. */
export type InputSchema = Schema<"array" | "object">;
export type ParsedInput = Readonly<Record<string, unknown>> | readonly unknown[];
export type InputOf<Of extends Schema> = Of["_zod"]["input"];
export type OutputOf<Of extends Schema> = Of["_zod"]["output"];

/** An operation as data: its route and schemas, without the code that runs it. */
export interface Contract<
  Input extends InputSchema = ObjectSchema,
  Output extends Schema = Schema,
> {
  /**
   * The version of the interface. It decides how the input is read, in which order a request is
   * checked, and the form of replies. Default: the version whose prefix the path begins with, else
   * `v1`.
   */
  readonly version?: VersionName | undefined;
  /** `<group>.<operation>`, as the service names it. */
  readonly name: string;
  /** With GET, the input is the query, whose values are all strings; with POST, the JSON body. */
  readonly method: "GET" | "POST";
  /**
   * Whether it needs no token. It then works on the workspace of a token that is sent, else on the
   * default workspace. Default: false.
   */
  readonly isOpen?: boolean | undefined;
  /**
   * Whether it changes nothing, so that the web page may call it without leaving a trace. Default:
   * true for GET, false for POST.
   */
  readonly isReadOnly?: boolean | undefined;
  /** Compared exactly: with case and trailing slash. */
  readonly path: `/${string}`;
  /** One line for the OpenAPI document. Default: the name. */
  readonly summary?: string;
  /** A longer text for the OpenAPI document, in Markdown. Default: the summary. */
  readonly description?: string;
  /** The schema of the input. It must be synchronous. A client sees its error messages. */
  readonly input: Input;
  /** The result, for the OpenAPI document. Results are not validated. */
  readonly output: Output;
  /** The error codes in the OpenAPI document of v1. Default: `operationErrors`. */
  readonly errors?: readonly ErrorCode[];
}

export interface ServedContract<
  Input extends InputSchema = InputSchema,
  Output extends Schema = Schema,
> extends Contract<Input, Output> {
  readonly version: VersionName;
}

export function served(contract: Contract<InputSchema>): ServedContract {
  return { ...contract, version: contract.version ?? versionAt(contract.path) ?? "v1" };
}

export function isSameOperation(one: ServedContract, other: ServedContract): boolean {
  return one.name === other.name && one.version === other.version;
}
