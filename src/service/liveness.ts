import type { Operation } from "../operations/operation.ts";

/**
 * Tells scripts that the service is up. Only v2 has it here. It is no operation: it needs no token, no
 * fault hits it, and it is in neither log nor journal.
 */
export const liveness = { method: "GET", path: "/v2/liveness" } as const;

/** Whether a path is that of `GET /v2/liveness`, and v2 is served. */
export function isLiveness(path: string, operations: readonly Operation[]): boolean {
  return path === liveness.path && hasLiveness(operations);
}

/** Whether v2 is served. */
export function hasLiveness(operations: readonly Operation[]): boolean {
  return operations.some(({ contract }) => contract.version === "v2");
}
