import type { Operation } from "../operations/operation.ts";
import { Endpoint } from "./router.ts";

const LIVENESS_PATH = "/v2/liveness";
const liveness = new Endpoint(new Map([["GET", { method: "GET", path: LIVENESS_PATH } as const]]));

/**
 * Where scripts ask whether the service is up, which only v2 has here. It is no operation: it needs no
 * token, no fault hits it, and it is in neither log nor journal.
 */
export function livenessAt(
  path: string,
  operations: readonly Operation[],
): typeof liveness | undefined {
  return path === LIVENESS_PATH ? livenessIn(operations) : undefined;
}

/** The same, whatever the path. */
export function livenessIn(operations: readonly Operation[]): typeof liveness | undefined {
  return operations.some(({ contract }) => contract.version === "v2") ? liveness : undefined;
}
