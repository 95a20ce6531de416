import type { Operation } from "../operations/operation.ts";
import { Endpoint } from "./router.ts";

const LIVENESS_PATH = "/v2/liveness";
const liveness = new Endpoint(new Map([["GET", { method: "GET", path: LIVENESS_PATH } as const]]));

/**
 * Tells scripts that the service is up. Only v2 has it here. It is no operation: it needs no token, no
 * fault hits it, and it is in neither log nor journal.
 */
export function livenessAt(
  path: string,
  operations: readonly Operation[],
): typeof liveness | undefined {
  return path === LIVENESS_PATH ? livenessIn(operations) : undefined;
}

/** The route if v2 is served, for any path. */
export function livenessIn(operations: readonly Operation[]): typeof liveness | undefined {
  return operations.some(({ contract }) => contract.version === "v2") ? liveness : undefined;
}
