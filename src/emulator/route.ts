import { ApiError } from "../contract/errors.ts";
import { groups } from "../contract/groups.ts";
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

/**
 * Paths are matched to the letter: a trailing slash is another path, as it is for the service.
 * @throws ApiError NOT_FOUND, with a hint that names what is served
 */
export function findRoute(routes: Routes, path: string): Route {
  const route = routes.get(path);
  if (route !== undefined) return route;
  throw new ApiError("NOT_FOUND", "no operation is served at this path", {
    hint: hintFor(routes, path),
  });
}

/** @throws ApiError METHOD_NOT_ALLOWED, with `Allow` */
export function checkMethod({ methods, operation }: Route, method: string): void {
  if (methods.includes(method)) return;
  const { name } = operation.contract;
  throw new ApiError("METHOD_NOT_ALLOWED", `${name} is called with ${operation.contract.method}`, {
    headers: { Allow: methods.join(", ") },
  });
}

function hintFor(routes: Routes, path: string): string {
  const served = [...routes.values()]
    .map(({ operation: { contract } }) => `${contract.method} ${contract.path}`)
    .join(" and ");
  const [, group, name] = /^\/v1\/([a-z]+)\.([A-Za-z]{1,40})$/.exec(path) ?? [];
  return groups.some((known) => known === group)
    ? `${group}.${name} is not emulated; latchkey serves ${served}; createEmulator({ operations }) adds others`
    : `latchkey serves ${served}`;
}
