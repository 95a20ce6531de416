import { ApiError } from "../contract/errors.ts";
import { quickReaderOf } from "../contract/operation.ts";
import type { QuickReader } from "../contract/quick-reader.ts";
import type { Operation } from "../operations/operation.ts";

/** A path at which an operation is served. */
export interface Route {
  readonly operation: Operation;
  /** Reads what nearly every client sends; the contract's schema reads the rest. */
  readonly read: QuickReader<unknown> | undefined;
  /** What `Allow` names: HEAD goes wherever GET does. */
  readonly methods: readonly string[];
}

/** By path, matched to the letter: a trailing slash is another path, as it is for the service. */
export type Routes = ReadonlyMap<string, Route>;

export function toRoutes(operations: readonly Operation[]): Routes {
  return new Map(
    operations.map((operation) => {
      const { contract } = operation;
      const { method, path } = contract;
      const methods = method === "GET" ? ["GET", "HEAD", "OPTIONS"] : [method, "OPTIONS"];
      return [path, { operation, read: quickReaderOf(contract), methods }];
    }),
  );
}

/** @throws ApiError METHOD_NOT_ALLOWED, with `Allow` */
export function checkMethod({ methods, operation }: Route, method: string): void {
  if (methods.includes(method)) return;
  const { name } = operation.contract;
  throw new ApiError("METHOD_NOT_ALLOWED", `${name} is called with ${operation.contract.method}`, {
    headers: { Allow: methods.join(", ") },
  });
}
