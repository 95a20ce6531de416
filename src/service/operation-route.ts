import type { ApiError } from "../contract/errors.ts";
import { quickReaderOf } from "../contract/operation.ts";
import type { Operation } from "../operations/operation.ts";
import { lazily } from "../schema/lazily.ts";
import type { QuickReader } from "../schema/quick-reader.ts";

/** A route that leads to an operation. */
export interface OperationRoute {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
  /** A fast path for common inputs; undefined if the contract's schema has to parse all of them. */
  reader(): QuickReader<unknown> | undefined;
}

export function toRoute(operation: Operation): OperationRoute {
  const { contract } = operation;
  const { method, path } = contract;
  return { method, path, operation, reader: lazily(() => quickReaderOf(contract)) };
}

export interface ParsedInput {
  readonly input: Record<string, unknown>;
  /** Paths of the members that are not in the schema, like `refill.foo`; they are ignored. */
  readonly unknown: readonly string[];
  /** A problem that is reported only after the token has been accepted. */
  readonly lateProblem?: ApiError | undefined;
}
